import { useState } from 'react';
import { CheckField, SelectField, TextArea, TextField } from '../../design/field.tsx';
import { AmountField } from './amount-field.tsx';
import styles from './general.module.css';
import type { Control } from './known-settings.ts';

type Props = {
  label: string;
  control: Control;
  value: unknown;
  onChange: (value: unknown) => void;
};

/** The form control of a setting. */
export function SettingControl(props: Props) {
  const { label, control, value, onChange } = props;
  switch (control.kind) {
    case 'switch':
      return (
        <CheckField
          label={value ? 'On' : 'Off'}
          aria-label={label}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      );
    case 'amount':
      return <AmountField {...props} control={control} />;
    case 'choice':
      return (
        <SelectField
          label={label}
          hideLabel
          value={String(value)}
          options={control.options}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'text':
      return (
        <TextField
          label={label}
          hideLabel
          placeholder={control.empty}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.target.value || null)}
        />
      );
    case 'policy':
      return <PolicyControl {...props} />;
    case 'json':
      return <JsonControl {...props} />;
  }
}

const MINUTE_MS = 60_000;
const ACTIONS = [
  { value: 'wait', label: 'Wait indefinitely' },
  { value: 'deny', label: 'Deny after timeout' },
  { value: 'allow', label: 'Allow after timeout' },
  { value: 'stop', label: 'Stop the task after timeout' },
];

function PolicyControl({ label, value, onChange }: Props) {
  const policy = value as { after_ms: number; action: string } | null;
  return (
    <div className={styles.together}>
      <SelectField
        label={label}
        hideLabel
        value={policy?.action ?? 'wait'}
        options={ACTIONS}
        onChange={({ target: { value: action } }) =>
          onChange(
            action === 'wait' ? null : { after_ms: policy?.after_ms ?? 10 * MINUTE_MS, action },
          )
        }
      />
      {policy && (
        <TextField
          label="Timeout (minutes)"
          type="number"
          min={1}
          required
          value={Number.isNaN(policy.after_ms) ? '' : policy.after_ms / MINUTE_MS}
          onChange={({ target }) =>
            onChange({ ...policy, after_ms: Math.round(target.valueAsNumber * MINUTE_MS) })
          }
        />
      )}
    </div>
  );
}

function JsonControl({ label, value, onChange }: Props) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [mistake, setMistake] = useState<string>();
  const change = (next: string) => {
    setText(next);
    try {
      onChange(JSON.parse(next));
      setMistake(undefined);
    } catch {
      setMistake('Invalid JSON.');
    }
  };
  return (
    <TextArea
      label={label}
      hideLabel
      rows={3}
      value={text}
      error={mistake}
      unfit={mistake}
      onChange={(event) => change(event.target.value)}
    />
  );
}
