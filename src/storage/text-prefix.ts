/** As much of the bytes as is whole characters (section 10): a last character that is cut off is left out. */
export function wholeCharacters(bytes: Buffer): string {
  return bytes.toString('utf8', 0, endOfWhole(bytes));
}

function endOfWhole(bytes: Buffer): number {
  // A character has at most four bytes, and only its first one tells how many.
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    return back < characterLength(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function characterLength(first: number): number {
  if (first >= 0xf0 && first < 0xf8) return 4;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xc0 && first < 0xe0 ? 2 : 1;
}
