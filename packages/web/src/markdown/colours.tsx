import { common, createLowlight } from 'lowlight';
import { Fragment, type ReactNode } from 'react';
import styles from './colours.module.css';

const lowlight = createLowlight(common);
type Node = ReturnType<typeof lowlight.highlight>['children'][number];

/** Code in the colours of its language. */
export function colour(text: string, language: string): ReactNode | undefined {
  if (!lowlight.registered(language)) return undefined;
  return lowlight.highlight(language, text).children.map(shown);
}

/** Code in the colours of its language, line by line. */
export function colourLines(text: string, language: string): ReactNode[] | undefined {
  if (!lowlight.registered(language)) return undefined;
  const lines: ReactNode[][] = [[]];
  const add = (node: Node, look: string | undefined) => {
    if (node.type === 'element') {
      for (const each of node.children) add(each, lookOf(node.properties.className) ?? look);
    }
    if (node.type !== 'text') return;
    node.value.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      const line = lines.at(-1);
      if (part === '' || !line) return;
      line.push(
        look ? (
          <span key={line.length} className={look}>
            {part}
          </span>
        ) : (
          part
        ),
      );
    });
  };
  for (const node of lowlight.highlight(language, text).children) add(node, undefined);
  return lines;
}

function shown(node: Node, index: number): ReactNode {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const inside = node.children.map(shown);
  const look = lookOf(node.properties.className);
  if (look === undefined) return <Fragment key={index}>{inside}</Fragment>;
  return (
    <span key={index} className={look}>
      {inside}
    </span>
  );
}

const LOOKS: readonly [RegExp, string | undefined][] = [
  [/keyword|selector-tag|doctag|template-tag|^hljs-(name|meta)/, styles.keyword],
  [/string|regexp|char|addition/, styles.string],
  [/number|literal|variable|attr|symbol|bullet|deletion/, styles.number],
  [/comment|quote/, styles.comment],
  [/title|built_in|type|class|section|function/, styles.title],
];

function lookOf(names: unknown): string | undefined {
  const [name] = Array.isArray(names) ? names : [];
  return LOOKS.find(([pattern]) => pattern.test(String(name)))?.[1];
}
