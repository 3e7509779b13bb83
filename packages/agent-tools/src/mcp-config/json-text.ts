import { isObject, type Json } from '@baton/config/values/json';
import type { McpFile } from '@baton/engine/definition/mcp-file';
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type ConfigText, MalformedText } from './config-text.ts';
import {
  eolOf,
  type ItemList,
  insertItem,
  isEmpty,
  JSON_COMMENTS,
  lineStart,
  type NewItem,
  removeItem,
  type Splice,
  spliced,
} from './splices.ts';

type Options = { key: string; format: Exclude<McpFile['format'], 'toml'> };

/** Reads and changes the servers in a text of JSON; throws `MalformedText`. */
export function jsonText(text: string, { key, format }: Options): ConfigText {
  if (format !== 'json' ? isEmpty(text, JSON_COMMENTS) : text.trim() === '') {
    return emptyText(text, key);
  }
  const root = parse(text, format);
  checkObject(root, 'The file');
  const table = lastValue(root, key);
  if (table) checkObject(table, `"${key}"`);
  const unit = unitOf(text, root);
  const insert = (into: Node, item: NewItem): Splice[] =>
    insertItem(text, itemsOf(into), item, { comments: JSON_COMMENTS, unit });
  return {
    servers: () =>
      new Map((table?.children ?? []).map((property) => [nameOf(property), plainValue(property)])),
    withServer(name, server) {
      if (table) return spliced(text, insert(table, newItem(name, server, text, unit)));
      return spliced(text, insert(root, newItem(key, { [name]: server }, text, unit)));
    },
    withoutServer(name) {
      const index = table?.children?.findIndex((property) => nameOf(property) === name) ?? -1;
      if (!table || index === -1) return text;
      const rest = spliced(text, removeItem(text, itemsOf(table), index, JSON_COMMENTS));
      // A name may be there twice.
      return jsonText(rest, { key, format }).withoutServer(name);
    },
  };
}

function emptyText(text: string, key: string): ConfigText {
  const eol = eolOf(text);
  const before = text === '' || text.endsWith('\n') ? text : text + eol;
  return {
    servers: () => new Map(),
    withServer: (name, server) =>
      `${before}${JSON.stringify({ [key]: { [name]: server } }, null, 2).replaceAll('\n', eol)}${eol}`,
    withoutServer: () => text,
  };
}

function parse(text: string, format: Options['format']): Node {
  const errors: ParseError[] = [];
  const options = { disallowComments: format === 'json', allowTrailingComma: format === 'jsonc' };
  const root = parseTree(text, errors, options);
  const [first] = errors;
  if (first) throw new MalformedText(reasonOf(first), first.offset);
  if (!root) throw new MalformedText('Expected a value.', 0);
  return root;
}

/** "CommaExpected" as words. */
function reasonOf({ error }: ParseError): string {
  const words = printParseErrorCode(error).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return `${words.charAt(0)}${words.slice(1).toLowerCase()}.`;
}

function checkObject(node: Node, what: string): void {
  if (node.type !== 'object') throw new MalformedText(`${what} must be an object.`, node.offset);
}

/** The value of a key; the last one counts if it is there twice. */
function lastValue(object: Node, key: string): Node | undefined {
  return object.children?.findLast((property) => nameOf(property) === key)?.children?.[1];
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function plainValue({ children }: Node): unknown {
  return plain(children?.[1]);
}

/** Without the prototype that a key could reach. */
function plain(node: Node | undefined): unknown {
  if (node?.type === 'array') return (node.children ?? []).map(plain);
  if (node?.type !== 'object') return node?.value;
  return Object.fromEntries((node.children ?? []).map((each) => [nameOf(each), plainValue(each)]));
}

function itemsOf({ offset, length, children = [] }: Node): ItemList {
  const items = children.map((each) => ({ start: each.offset, end: each.offset + each.length }));
  return { open: offset + 1, close: offset + length - 1, items };
}

/** One level of indentation, as the first key of the file has it. */
function unitOf(text: string, { children }: Node): string {
  const [first] = children ?? [];
  const indent = first && text.slice(lineStart(text, first.offset), first.offset);
  return indent && /^[ \t]+$/.test(indent) ? indent : '  ';
}

function newItem(name: string, value: Json, text: string, unit: string): NewItem {
  const eol = eolOf(text);
  const key = JSON.stringify(name);
  return {
    inline: `${key}: ${inlineJson(value)}`,
    lines: (indent) =>
      `${key}: ${JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)}`,
  };
}

function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${inlineJson(each)}`,
  );
  return `{ ${fields.join(', ')} }`;
}
