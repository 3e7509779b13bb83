import { useId } from 'react';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Control, type PartProps } from './control.tsx';
import type { OptionsFormProps } from './options-form.tsx';
import { kindOf, type Schema } from './schema.ts';
import styles from './schema-form.module.css';

/**
 * A form for the options of an agent, with one field for each option in its schema. Not react-jsonschema-form: agents
 * leave most of their options without a type, or allow either text or an object. It shows nothing for the former, a
 * choice of "Option 1" and "Option 2" for the latter, and is fifty times as large.
 */
export function SchemaForm({ schema, value, onChange, disabled }: OptionsFormProps) {
  return (
    <div className={styles.form}>
      {Object.entries((schema as Schema).properties ?? {}).map(([name, part]) => (
        <Part
          key={name}
          label={part.title ?? name}
          schema={part}
          value={value[name]}
          disabled={disabled}
          onChange={(next) => onChange(changed(value, name, next))}
        />
      ))}
    </div>
  );
}

function Part(props: PartProps) {
  if (kindOf(props.schema) === 'group') return <Group {...props} />;
  const { value, label, disabled, onChange, schema } = props;
  const isLong = schema.isLong || isWritten(schema);
  return (
    <div
      className={styles.part}
      data-long={isLong || undefined}
      data-focus-home="input, textarea, select"
    >
      <Control {...props} />
      {value !== undefined && (
        <div className={styles.mark}>
          <Badge tone="accent">set</Badge>
          {!disabled && (
            <IconButton
              small
              icon="retry"
              label={`Reset ${label} to the default`}
              onClick={() => onChange(undefined)}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** True if the value is edited as lines of text; false for a schema without a type. */
function isWritten(schema: Schema): boolean {
  const kind = kindOf(schema);
  return kind === 'lines' || kind === 'pairs' || (kind === 'any' && !isUntyped(schema));
}

function isUntyped({ type, anyOf }: Schema): boolean {
  return type === undefined && anyOf === undefined;
}

function Group({ label, schema, value = {}, onChange, disabled }: PartProps) {
  const id = useId();
  const change = (next: Record<string, unknown>) =>
    onChange(Object.keys(next).length === 0 ? undefined : next);
  return (
    <fieldset className={styles.group} aria-labelledby={id}>
      <h3 id={id}>{label}</h3>
      <SchemaForm
        schema={schema}
        value={value as Record<string, unknown>}
        disabled={disabled}
        onChange={change}
      />
    </fieldset>
  );
}

function changed(
  value: Readonly<Record<string, unknown>>,
  name: string,
  next: unknown,
): Record<string, unknown> {
  const { [name]: _before, ...others } = value;
  return next === undefined ? others : { ...others, [name]: next };
}
