import { memo, useRef } from 'react';
import { type Block, goOn, tokensOf } from './blocks.ts';
import styles from './markdown.module.css';
import { Tokens } from './tokens.tsx';

/** A text of an agent as Markdown. While it grows, only its end is read and shown anew. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const kept = useRef<{ text: string; blocks: Block[] }>({ text: '', blocks: [] });
  if (kept.current.text !== text) {
    const { text: before, blocks } = kept.current;
    // Nothing but a cache: drawing twice gives the same.
    kept.current = { text, blocks: goOn(text.length >= before.length ? blocks : [], text) };
  }
  return (
    <div className={styles.markdown} dir="auto">
      {kept.current.blocks.map(({ start, raw }) => (
        <ShownBlock key={start} start={start} raw={raw} />
      ))}
    </div>
  );
});

const ShownBlock = memo(function ShownBlock(block: Block) {
  const tokens = tokensOf(block);
  return tokens ? <Tokens tokens={tokens} /> : <p className={styles.long}>{block.raw}</p>;
});
