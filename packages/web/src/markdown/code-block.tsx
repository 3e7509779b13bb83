import { showUnseenInText } from '@baton/protocol';
import { memo } from 'react';
import { CopyButton } from '../design/copy-button.tsx';
import styles from './code-block.module.css';
import { useColours } from './highlight.tsx';

/** Code with the name of its language, in colours once they are there. */
export const CodeBlock = memo(function CodeBlock({
  text,
  language,
}: {
  text: string;
  language?: string | undefined;
}) {
  const name = language?.trim().split(/[\s,{:]/)[0] ?? '';
  const shown = showUnseenInText(text);
  const coloured = useColours(shown, name);
  return (
    <figure className={styles.block} dir="ltr">
      <figcaption className={styles.head}>
        <span>{showUnseenInText(name) || 'text'}</span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={styles.code} tabIndex={0}>
        <code>{coloured ?? shown}</code>
      </pre>
    </figure>
  );
});
