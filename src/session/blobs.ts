import { resolveBlobRefs } from '../format/blob-refs.js';
import type { FileEntry } from '../format/types.js';
import type { Host } from '../host.js';
import { BlobStore } from '../storage/blob-store.js';
import { agentLocations } from './locations.js';

/** The images of one session: out to the blob store when an entry is written (F36), back when it is read (F38). */
export class SessionBlobs {
  readonly #store: BlobStore;
  readonly #host: Host;
  /** What is in the store already, by base64: a rewrite meets the same images again. */
  readonly #known = new Map<string, { readonly hash: string; readonly ref: string }>();

  constructor(host: Host) {
    this.#host = host;
    this.#store = new BlobStore(agentLocations(host).blobsDir);
  }

  /** F36. Undefined for text that would not come back the same: it stays where it is. */
  readonly externalize = (base64: string): string | undefined => {
    const known = this.#known.get(base64);
    if (known !== undefined && this.#store.hasSync(known.hash)) return known.ref;
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64') !== base64) return undefined;
    const stored = this.#store.putSync(bytes);
    this.#known.set(base64, stored);
    return stored.ref;
  };

  /** F38, in place. A blob that is missing leaves its reference, with one warning. */
  resolve(records: Iterable<FileEntry>): void {
    const found = new Map<string, string | undefined>();
    resolveBlobRefs(records, (hash) => {
      if (!found.has(hash)) found.set(hash, this.#read(hash));
      return found.get(hash);
    });
  }

  #read(hash: string): string | undefined {
    const base64 = this.#store.getSync(hash)?.toString('base64');
    if (base64 === undefined)
      this.#host.warn?.(`An image is missing: there is no blob ${hash} in ${this.#store.dir}`);
    return base64;
  }
}
