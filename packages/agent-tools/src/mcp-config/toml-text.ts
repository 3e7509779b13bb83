import { isObject, type Json } from '@baton/config/values/json';
import { BARE_KEY, toml } from '@baton/engine/kit/toml';
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser';
import { type ConfigText, MalformedText } from './config-text.ts';
import {
  afterEol,
  endOfRest,
  eolOf,
  type ItemList,
  insertItem,
  insertion,
  lineStart,
  removeItem,
  type Splice,
  spliced,
  TOML_COMMENTS,
} from './splices.ts';

/** Reads and changes the servers in a text of TOML; throws `MalformedText`. */
export function tomlText(text: string, { key }: { key: string }): ConfigText {
  const ast = parse(text);
  const body = ast.body[0].body;
  const found = (getStaticTOMLValue(ast) as Json)[key];
  const inline = inlineTable(body, key);
  if (found !== undefined && !isObject(found)) {
    throw new MalformedText(`"${key}" must be a table.`, placeOf(body, key));
  }
  return {
    servers: () => new Map(Object.entries(found ?? {})),
    withServer(name, server) {
      if (inline) {
        const item = `${tomlKey(name)} = ${inlineToml(server)}`;
        const list = { comments: TOML_COMMENTS, unit: '  ' };
        // A line break in an inline table is an error for older parsers.
        if (inline.body.length === 0)
          return spliced(text, [insertion(inline.range[0] + 1, ` ${item} `)]);
        return spliced(
          text,
          insertItem(text, itemsOf(inline), { inline: item, lines: () => item }, list),
        );
      }
      return withTable(text, body, key, [name, server]);
    },
    withoutServer(name) {
      const index = inline?.body.findIndex((each) => namesOf(each)[0] === name) ?? -1;
      if (inline && index !== -1) {
        const rest = spliced(text, removeItem(text, itemsOf(inline), index, TOML_COMMENTS));
        // A server may be written as several dotted keys.
        return tomlText(rest, { key }).withoutServer(name);
      }
      return spliced(text, partsOf(text, body, [key, name]));
    },
  };
}

type Part = AST.TOMLKeyValue | AST.TOMLTable;

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.1' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new MalformedText(`${error.message.replace(/\.$/, '')}.`, error.index);
  }
}

/** The servers as `key = { … }`. */
function inlineTable(body: readonly Part[], key: string): AST.TOMLInlineTable | undefined {
  const pair = body.find((each) => each.type === 'TOMLKeyValue' && isPath(namesOf(each), [key]));
  if (pair?.type !== 'TOMLKeyValue') return undefined;
  return pair.value.type === 'TOMLInlineTable' ? pair.value : undefined;
}

/** Adds a table behind the last server, or at the end. */
function withTable(
  text: string,
  body: readonly Part[],
  key: string,
  [name, server]: [string, Json],
): string {
  const eol = eolOf(text);
  const lines = Object.entries(server).map(
    ([field, value]) => `${tomlKey(field)} = ${isObject(value) ? inlineToml(value) : toml(value)}`,
  );
  const table = [`[${tomlKey(key)}.${tomlKey(name)}]`, ...lines].join(eol);
  const last = body.findLast((each) => each.type === 'TOMLTable' && namesOf(each)[0] === key);
  if (last) {
    const at = endOfRest(text, endOf(last), TOML_COMMENTS) ?? endOf(last);
    return spliced(text, [insertion(at, eol + eol + table)]);
  }
  if (text === '') return table + eol;
  return text.endsWith('\n') ? text + eol + table + eol : text + eol + eol + table;
}

/** The lines that define a server: tables, keys, and dotted keys. */
function partsOf(text: string, body: readonly Part[], path: readonly string[]): Splice[] {
  const parts = body.flatMap((part) => {
    const names = namesOf(part);
    if (isPath(names.slice(0, path.length), path)) return [linesOf(text, part)];
    if (part.type !== 'TOMLTable') return [];
    return part.body
      .filter((pair) => isPath([...names, ...namesOf(pair)].slice(0, path.length), path))
      .map((pair) => linesOf(text, pair));
  });
  // Two tables in a row may both claim the line break between them.
  return parts.map((part, index) => ({
    ...part,
    start: Math.max(part.start, parts[index - 1]?.end ?? 0),
  }));
}

/** The lines of a part; those of a table with the empty line before it. */
function linesOf(text: string, part: Part): Splice {
  const rest = endOfRest(text, endOf(part), TOML_COMMENTS) ?? endOf(part);
  const end = afterEol(text, rest);
  let start = lineStart(text, part.range[0]);
  if (part.type === 'TOMLTable') {
    const blank = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, start))?.[1];
    start -= blank?.length ?? 0;
  }
  // The last line of a file need not end with a line break; then the one before it must not either.
  if (end === rest) start -= /\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0;
  return { start, end, text: '' };
}

function endOf(part: Part): number {
  const last = part.type === 'TOMLTable' ? part.body.at(-1) : undefined;
  return last ? last.range[1] : part.range[1];
}

function placeOf(body: readonly Part[], key: string): number {
  return body.find((each) => namesOf(each)[0] === key)?.range[0] ?? 0;
}

function namesOf({ key }: Part): string[] {
  return key.keys.map((each) => (each.type === 'TOMLBare' ? each.name : each.value));
}

function isPath(names: readonly string[], path: readonly string[]): boolean {
  return names.length === path.length && path.every((each, index) => names[index] === each);
}

function itemsOf({ range, body }: AST.TOMLInlineTable): ItemList {
  const items = body.map((each) => ({ start: each.range[0], end: each.range[1] }));
  return { open: range[0] + 1, close: range[1] - 1, items };
}

function tomlKey(name: string): string {
  return BARE_KEY.test(name) ? name : toml(name);
}

function inlineToml(values: Json): string {
  const pairs = Object.entries(values).map(
    ([name, value]) => `${tomlKey(name)} = ${isObject(value) ? inlineToml(value) : toml(value)}`,
  );
  return `{ ${pairs.join(', ')} }`;
}
