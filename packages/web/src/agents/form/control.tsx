import { type ReactNode, useId } from 'react';
import { SelectField, TextArea, TextField } from '../../design/field.tsx';
import { unlessAbove } from '../../design/validation-error.ts';
import { inSmaller } from '../../text/amounts.ts';
import { CodecField } from './codec-field.tsx';
import { limitsOf } from './number-limits.ts';
import { kindOf, type Schema } from './schema.ts';

export type PartProps = {
  label: string;
  schema: Schema;
  value: unknown;
  disabled?: boolean | undefined;
  /** Called with undefined for the agent's default. */
  onChange: (value: unknown) => void;
};

/** The form control of an option. */
export function Control(props: PartProps): ReactNode {
  const { label, schema, value, disabled, onChange } = props;
  const listId = useId();
  const hint = schema.description;
  switch (kindOf(schema)) {
    case 'choice':
      return (
        <SelectField
          {...{ label, hint, disabled }}
          value={String(value ?? '')}
          options={[
            { value: '', label: 'Default' },
            ...(schema.enum ?? []).map((each) => ({ value: each, label: each })),
          ]}
          onChange={(event) => onChange(event.target.value || undefined)}
        />
      );
    case 'switch':
      return (
        <SelectField
          {...{ label, hint, disabled }}
          value={String(value ?? '')}
          options={SWITCH}
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : target.value === 'true')
          }
        />
      );
    case 'number': {
      const { scale = 1 } = schema;
      const { above, ...limits } = limitsOf(schema);
      const amount = value === undefined ? undefined : Number(value) / scale;
      return (
        <TextField
          {...{ label, hint, disabled, ...limits }}
          type="number"
          placeholder="Default"
          unfit={unlessAbove(above, amount)}
          value={amount === undefined ? '' : String(amount)}
          onChange={({ target: { valueAsNumber: next } }) =>
            onChange(Number.isNaN(next) ? undefined : inSmaller(next, scale))
          }
        />
      );
    }
    case 'text': {
      const common = {
        ...{ label, hint, disabled },
        placeholder: 'Default',
        dir: 'auto' as const,
        value: String(value ?? ''),
      };
      if (schema.isLong) {
        const change = (text: string) => onChange(text || undefined);
        return <TextArea {...common} rows={3} onChange={(event) => change(event.target.value)} />;
      }
      return (
        <>
          <TextField
            {...common}
            list={schema.examples && listId}
            onChange={(event) => onChange(event.target.value || undefined)}
          />
          {schema.examples && (
            <datalist id={listId}>
              {schema.examples.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      );
    }
    default:
      return <CodecField {...props} hint={hint} />;
  }
}

const SWITCH = [
  { value: '', label: 'Default' },
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];
