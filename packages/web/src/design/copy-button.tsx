import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copyText } from './copy-text.ts';

const SHOWN_MS = 1600;

/** Puts a text on the clipboard, and says that it did. */
export function CopyButton({
  text,
  label = 'Copy',
  words,
}: {
  /** The text, or a function that gets it; undefined copies nothing. */
  text: string | (() => string | undefined | Promise<string | undefined>);
  label?: string;
  /** Shown beside the pictogram. */
  words?: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    const copied = typeof text === 'string' ? text : await text();
    if (copied !== undefined && (await copyText(copied))) setCopied(true);
  };
  const icon = copied ? 'check' : 'copy';
  if (words === undefined) {
    return <IconButton small label={copied ? 'Copied' : label} icon={icon} onClick={copy} />;
  }
  return (
    <Button small look="quiet" icon={icon} onClick={copy} aria-label={label}>
      {copied ? 'Copied' : words}
    </Button>
  );
}
