import type { SearchWriter } from '../search-writer.js';
import type { Facet, IndexedEntry } from './facet.js';

/** The text of every entry, into the shard: prose, thinking and tools apart. */
export class TextFacet implements Facet {
  readonly #writer: SearchWriter;

  constructor(writer: SearchWriter) {
    this.#writer = writer;
  }

  begin(): void {}

  entry({ key, content }: IndexedEntry): void {
    if (content.prose !== '') this.#writer.add('prose', key, content.prose);
    if (content.thinking !== '') this.#writer.add('thinking', key, content.thinking);
    if (content.tools !== '') this.#writer.add('tools', key, content.tools);
  }

  finish(): void {}

  flush(): void {
    this.#writer.flush();
  }
}
