import fc from 'fast-check';
import { expect } from 'vitest';
import type { TypedObject } from '../../src/format/json.js';
import type { Problem } from '../../src/format/problem.js';
import { FileScanner, type ScanEnd } from '../../src/format/scan.js';

export interface ScannedObject {
  readonly value: TypedObject;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly line: number;
}

export interface Scanned {
  readonly objects: readonly ScannedObject[];
  readonly problems: readonly Problem[];
  readonly end: ScanEnd;
}

/**
 * Scans in chunks of the given sizes, over and over; every chunk is in one buffer that is spoilt once it was pushed, as
 * readers reuse theirs.
 */
export function scanInChunks(bytes: Buffer, sizes: readonly number[], maxLineBytes?: number): Scanned {
  const objects: ScannedObject[] = [];
  const problems: Problem[] = [];
  const scanner = new FileScanner(
    {
      object: (value, byteOffset, byteLength, line) => objects.push({ value, byteOffset, byteLength, line }),
      problem: (problem) => problems.push(problem),
    },
    maxLineBytes,
  );
  const buffer = Buffer.alloc(Math.max(...sizes, 1));
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = bytes.copy(buffer, 0, at, at + (sizes[turn % sizes.length] ?? 1));
    scanner.push(buffer.subarray(0, length));
    buffer.fill('{');
    at += length;
  }
  return { objects, problems, end: scanner.finish() };
}

/**
 * Scans in one piece, in chunks of 1 to 7 bytes and in random ones, demands that all agree and that each object is what
 * its bytes say, and gives the result.
 */
export function scanEveryWay(input: string | Buffer, maxLineBytes?: number): Scanned {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  const whole = scanInChunks(bytes, [Math.max(bytes.length, 1)], maxLineBytes);
  for (const size of [1, 2, 3, 4, 5, 6, 7])
    expect(scanInChunks(bytes, [size], maxLineBytes)).toStrictEqual(whole);
  const sizes = fc.array(fc.integer({ min: 1, max: bytes.length + 1 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(sizes, (some) => {
      expect(scanInChunks(bytes, some, maxLineBytes)).toStrictEqual(whole);
    }),
    { numRuns: 15 },
  );
  expectPlacesFrame(bytes, whole);
  return whole;
}

/** `bytes[offset, length]` parses to the object that was given; no two overlap; the line is the one it stands on. */
export function expectPlacesFrame(bytes: Buffer, { objects }: Scanned): void {
  let end = 0;
  let newlines = 0;
  for (const { value, byteOffset, byteLength, line } of objects) {
    expect(byteOffset).toBeGreaterThanOrEqual(end);
    for (const byte of bytes.subarray(end, byteOffset)) if (byte === 0x0a) newlines += 1;
    end = byteOffset + byteLength;
    expect(JSON.parse(bytes.toString('utf8', byteOffset, end))).toStrictEqual(value);
    expect(bytes.subarray(byteOffset, end).includes(0x0a)).toBe(false);
    expect(line).toBe(newlines + 1);
  }
}

/** `kind@byteOffset+byteLength:line` for each problem. */
export function places(problems: readonly Problem[]): string[] {
  return problems.map(
    ({ kind, byteOffset, byteLength, line }) => `${kind}@${byteOffset}+${byteLength}:${line}`,
  );
}
