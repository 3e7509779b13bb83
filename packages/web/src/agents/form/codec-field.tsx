import { useState } from 'react';
import { TextArea } from '../../design/field.tsx';
import { codecFor } from './codecs.ts';
import type { Schema } from './schema.ts';

type Props = {
  label: string;
  hint?: string | undefined;
  schema: Schema;
  value: unknown;
  disabled?: boolean | undefined;
  onChange: (value: unknown) => void;
};

/** A value that is written as text; while it cannot be read, the form around it cannot be sent. */
export function CodecField({ label, hint, schema, value, disabled, onChange }: Props) {
  const codec = codecFor(schema);
  const written = () => (value === undefined ? '' : codec.write(value));
  const [draft, setDraft] = useState(() => ({ text: written(), value }));
  // It was changed elsewhere, with "reset" or another choice of agent.
  const isForeign = JSON.stringify(draft.value) !== JSON.stringify(value);
  const text = isForeign ? written() : draft.text;
  const parsed = text.trim() === '' ? { value: undefined } : codec.read(text);
  const mistake = 'mistake' in parsed ? parsed.mistake : undefined;

  const change = (next: string) => {
    const read = next.trim() === '' ? { value: undefined } : codec.read(next);
    const isRead = !('mistake' in read && read.mistake !== undefined);
    setDraft({ text: next, value: isRead ? (read as { value: unknown }).value : value });
    if (isRead) onChange((read as { value: unknown }).value);
  };
  return (
    <TextArea
      label={label}
      rows={Math.min(8, Math.max(2, text.split('\n').length))}
      placeholder="Default"
      spellCheck={false}
      disabled={disabled}
      value={text}
      hint={hint ? `${hint} ${codec.hint}` : codec.hint}
      error={mistake}
      unfit={mistake}
      onChange={(event) => change(event.target.value)}
    />
  );
}
