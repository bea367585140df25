/** How far a long operation is. */
export interface Progress {
  readonly phase: 'scanning' | 'reading' | 'publishing' | 'comparing' | 'waiting';
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface RunOptions {
  /** Stops the operation; the index stays as it was. */
  readonly signal?: AbortSignal | undefined;
  /** Told in one line of what happened besides: a damaged index that was set aside, say. */
  readonly onNotice?: ((message: string) => void) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
