import { showUnseenInText } from '@baton/protocol';
import { memo, useRef } from 'react';
import { type Block, continueBlocks } from './blocks.ts';
import styles from './markdown.module.css';
import { Tokens } from './tokens.tsx';

/** A text of an agent as Markdown. While it grows, only its end is read and shown anew. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const kept = useRef<{ text: string; blocks: Block[] }>({ text: '', blocks: [] });
  if (kept.current.text !== text) {
    const { text: before, blocks } = kept.current;
    // Nothing but a cache: drawing twice gives the same.
    kept.current = {
      text,
      blocks: continueBlocks(text.length >= before.length ? blocks : [], text),
    };
  }
  return (
    <div className={styles.markdown} dir="auto">
      {kept.current.blocks.map((block) => (
        <ShownBlock key={block.start} block={block} />
      ))}
    </div>
  );
});

const ShownBlock = memo(
  function ShownBlock({ block: { token, raw } }: { block: Block }) {
    return token ? (
      <Tokens tokens={[token]} />
    ) : (
      <p className={styles.long}>{showUnseenInText(raw)}</p>
    );
  },
  ({ block: before }, { block }) => before.raw === block.raw,
);
