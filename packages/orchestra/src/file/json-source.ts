import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { Path, Source, SyntaxProblem } from './source.ts';

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'invalid value; write a string in double quotes, a number, true, false or null',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a key in double quotes; check for an extra comma before it',
  ValueExpected: 'expected a value; check for an extra comma before it',
  ColonExpected: 'expected a colon after the key',
  CommaExpected: 'expected a comma before the next value',
  CloseBraceExpected: 'expected a closing }',
  CloseBracketExpected: 'expected a closing ]',
  EndOfFileExpected: 'unexpected text after the end of the value',
  InvalidCommentToken: 'comments are not allowed in JSON; name the file .jsonc to use them',
  UnexpectedEndOfComment: 'the comment is not closed',
  UnexpectedEndOfString: 'the string is not closed; write \\n for a line break',
  UnexpectedEndOfNumber: 'the number is incomplete',
  InvalidUnicode: 'invalid \\u escape in the string',
  InvalidEscapeCharacter: 'invalid escape in the string; write \\\\ for a backslash',
  InvalidCharacter: 'invalid character in the string; write control characters as escapes',
};

/** Parses JSON, with comments and trailing commas if they are allowed. */
export function parseJsonSource(text: string, { comments }: { comments: boolean }): Source {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, {
    disallowComments: !comments,
    allowTrailingComma: comments,
    allowEmptyContent: false,
  });
  const [first] = errors;
  // The parser guesses what was meant, so what it reports after the first mistake may be none.
  const problems = first ? [wordsOf(first)] : root ? badKeys(root) : [];
  return {
    value: root && problems.length === 0 ? getNodeValue(root) : undefined,
    problems,
    offsetOf: (path, part) => offsetIn(root, path, part),
  };
}

function wordsOf({ error, offset }: ParseError): SyntaxProblem {
  const code = printParseErrorCode(error);
  return { offset, text: `${WORDS[code] ?? `invalid JSON (${code})`}.` };
}

/** Keys that occur twice, and the one that JavaScript would take for the prototype. */
function badKeys(node: Node): SyntaxProblem[] {
  const children = node.children ?? [];
  if (node.type !== 'object') return children.flatMap(badKeys);
  const seen = new Set<string>();
  return children.flatMap((property) => {
    const [key, value] = property.children ?? [];
    const name = String(key?.value);
    const offset = property.offset;
    const problems: SyntaxProblem[] = [];
    if (seen.has(name)) problems.push({ offset, text: `duplicate key "${name}"; remove one.` });
    if (name === '__proto__')
      problems.push({ offset, text: 'the key "__proto__" is not allowed.' });
    seen.add(name);
    return [...problems, ...(value ? badKeys(value) : [])];
  });
}

function offsetIn(root: Node | undefined, path: Path, part: 'key' | 'value'): number {
  if (!root) return 0;
  const node = findNodeAtLocation(root, [...path]);
  if (!node) return path.length === 0 ? 0 : offsetIn(root, path.slice(0, -1), 'value');
  const isProperty = part === 'key' && node.parent?.type === 'property';
  return isProperty ? (node.parent?.offset ?? node.offset) : node.offset;
}
