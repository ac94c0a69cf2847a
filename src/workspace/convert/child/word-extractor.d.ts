// The package has no types of its own.
declare module 'word-extractor' {
  interface Document {
    getBody(): string;
    getFootnotes(): string;
    getEndnotes(): string;
  }

  export default class WordExtractor {
    extract(source: Buffer): Promise<Document>;
  }
}
