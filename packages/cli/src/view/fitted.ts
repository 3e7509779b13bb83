import { WordWrap } from './word-wrap.ts';

/** Breaks a text between words at the width of a terminal; whatever is no terminal gets it as it is. */
export function fitted(stream: NodeJS.WriteStream, text: string): string {
  if (!stream.isTTY || !stream.columns) return text;
  const wrap = new WordWrap(() => stream.columns);
  return wrap.push(text) + wrap.end();
}
