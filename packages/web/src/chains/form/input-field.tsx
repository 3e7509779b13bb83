import type { ChainRecord } from '@baton/client';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import { isRequired } from './input-values.ts';

type Props = {
  input: ChainRecord['inputs'][number];
  value: string;
  onChange: (value: string) => void;
};

/** One input of a chain: a choice, a line, or several lines. */
export function InputField({ input, value, onChange }: Props) {
  const { name, description, choices, multiline } = input;
  const required = isRequired(input);
  const common = {
    label: required ? `${name} (required)` : name,
    ...(description === undefined ? {} : { hint: description }),
    value,
    required,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (choices) {
    const options = choices.map((choice) => ({ value: choice, label: choice }));
    const none = { value: '', label: 'Choose…' };
    return <SelectField {...common} options={required ? [none, ...options] : options} />;
  }
  if (multiline) return <TextArea {...common} rows={5} dir="auto" />;
  return <TextField {...common} dir="auto" />;
}
