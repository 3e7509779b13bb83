import { SelectField, TextField } from '../../design/field.tsx';
import { unlessAbove } from '../../design/validation-error.ts';
import { inSmaller } from '../../text/amounts.ts';
import styles from './general.module.css';
import { type AmountControl, inUnits } from './known-settings.ts';

type Props = {
  label: string;
  control: AmountControl;
  value: unknown;
  onChange: (value: unknown) => void;
};

/** An amount in its unit, or the choice that replaces it. */
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
  const { unit, scale, above, most, none } = control;
  // A typed 0 may become 0.5: until then it stays text, and is not the choice that 0 represents.
  const isText = typeof value === 'string';
  const amount = isText ? Number(value) * scale : value;
  const change = (text: string, next: number) => {
    if (Number.isNaN(next)) return onChange(undefined);
    const exact = inSmaller(next, scale);
    onChange(exact === none?.value ? text : exact);
  };
  const shown = typeof amount === 'number' ? inUnits(control, amount) : undefined;
  return (
    <TextField
      label={unit ? `${label}, in ${unit}` : label}
      hideLabel
      type="number"
      min={above === undefined ? 0 : undefined}
      max={most}
      step="any"
      required
      unfit={unlessAbove(above, shown)}
      value={isText ? value : (shown ?? '')}
      hint={unit}
      onChange={({ target }) => change(target.value, target.valueAsNumber)}
    />
  );
}
