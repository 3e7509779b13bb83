import { SelectField, TextField } from '../../design/field.tsx';
import { inSmaller } from '../../text/amounts.ts';
import styles from './general.module.css';
import { type AmountControl, inUnits } from './known-settings.ts';

type Props = {
  label: string;
  control: AmountControl;
  value: unknown;
  onChange: (value: unknown) => void;
};

/** An amount in its unit, or the choice that stands in its place. */
export function AmountField({ label, control, value, onChange }: Props) {
  const { none, first, scale } = control;
  if (!none) return <Amount {...{ label, control, value, onChange }} />;
  const isNone = value === none.value;
  return (
    <div className={styles.together}>
      <SelectField
        label={label}
        hideLabel
        value={isNone ? 'none' : 'some'}
        options={[
          { value: 'none', label: none.label },
          { value: 'some', label: none.otherwise },
        ]}
        onChange={({ target }) => onChange(target.value === 'none' ? none.value : first * scale)}
      />
      {!isNone && <Amount {...{ label, control, value, onChange }} />}
    </div>
  );
}

function Amount({ label, control, value, onChange }: Props) {
  const { unit, scale } = control;
  return (
    <TextField
      label={unit ? `${label}, in ${unit}` : label}
      hideLabel
      type="number"
      min={0}
      step="any"
      required
      value={typeof value === 'number' ? inUnits(control, value) : ''}
      hint={unit}
      onChange={({ target: { valueAsNumber: amount } }) =>
        onChange(Number.isNaN(amount) ? undefined : inSmaller(amount, scale))
      }
    />
  );
}
