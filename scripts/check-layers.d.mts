export interface LayerViolation {
  /** Relative to the source directory. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly specifier: string;
  readonly message: string;
}

export function checkLayers(sourceDirectory: string): LayerViolation[];
export function describe(violation: LayerViolation): string;
