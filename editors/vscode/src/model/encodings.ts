/**
 * Which encodings the bridge was told of. It takes every document to be UTF-8
 * until it hears something else, so only that, and a way back, is news. A byte
 * order mark it sees by itself.
 */
export class EncodingNews {
  readonly #told = new Map<string, string>();

  /** What to tell of a document that the editor reads with this encoding; undefined when it is no news. */
  of(uri: string, encoding: string): string | undefined {
    const name = encoding === "utf8bom" || encoding === "utf-8" ? usual : encoding;
    if ((this.#told.get(uri) ?? usual) === name) return undefined;
    if (name === usual) this.#told.delete(uri);
    else this.#told.set(uri, name);
    return name;
  }
}

const usual = "utf8";
