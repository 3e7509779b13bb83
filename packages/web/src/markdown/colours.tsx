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
