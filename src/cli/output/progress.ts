import type { Progress } from '../../session-index/progress.js';
import { bytes } from './quantities.js';

/** ms before anything is said: short work needs no words. */
const QUIET_MS = 300;
/** ms between lines where there is no terminal to redraw. */
const LINE_MS = 5000;
const BAR_CHARS = 24;

const PHASES: Readonly<Record<Progress['phase'], string>> = {
  scanning: 'looking for session files',
  reading: 'indexing',
  publishing: 'putting the index in place',
  comparing: 'comparing',
  waiting: 'another process is indexing; waiting for it',
};

/** Shows on stderr how far long work is: one line that is drawn again on a terminal, a line now and then elsewhere. */
export class ProgressLine {
  readonly #write: (text: string) => void;
  readonly #isTerminal: boolean;
  readonly #now: () => number;
  readonly #startedMs: number;
  #lastLineMs = 0;
  #lastPhase: Progress['phase'] | undefined;
  #isDrawn = false;

  constructor(write: (text: string) => void, isTerminal: boolean, now: () => number) {
    this.#write = write;
    this.#isTerminal = isTerminal;
    this.#now = now;
    this.#startedMs = now();
  }

  readonly update = (progress: Progress): void => {
    const elapsedMs = this.#now() - this.#startedMs;
    if (elapsedMs < QUIET_MS && progress.phase !== 'waiting') return;
    const text = describe(progress, elapsedMs);
    if (this.#isTerminal) {
      this.#write(`\r\u001b[2K${text}`);
      this.#isDrawn = true;
      return;
    }
    const isDue = this.#now() - this.#lastLineMs >= LINE_MS;
    if (!isDue && progress.phase === this.#lastPhase) return;
    this.#lastLineMs = this.#now();
    this.#lastPhase = progress.phase;
    this.#write(`${text}\n`);
  };

  /** Takes the line away, before other output. */
  clear(): void {
    if (this.#isDrawn) this.#write('\r\u001b[2K');
    this.#isDrawn = false;
  }
}

function describe(
  { phase, filesDone, filesTotal, bytesDone, bytesTotal }: Progress,
  elapsedMs: number,
): string {
  if (phase !== 'reading') return `sessiondex: ${PHASES[phase]} …`;
  const share = bytesTotal > 0 ? Math.min(1, bytesDone / bytesTotal) : 0;
  const full = Math.round(share * BAR_CHARS);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_CHARS - full);
  const speed = elapsedMs > 0 ? (bytesDone / elapsedMs) * 1000 : 0;
  const leftSeconds = speed > 0 ? Math.ceil((bytesTotal - bytesDone) / speed) : undefined;
  const left = leftSeconds === undefined ? '' : `, ${duration(leftSeconds)} left`;
  return `sessiondex: ${PHASES[phase]} ${bar} ${Math.floor(share * 100)} %  ${filesDone}/${filesTotal} files, ${bytes(speed)}/s${left}`;
}

function duration(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
