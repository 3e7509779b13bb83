import type { BackendRecord } from '@baton/client';
import { OPTION_NAMES, type OptionName, type OptionSupport } from '@baton/protocol';
import { useId, useState } from 'react';
import { Badge, type Tone } from '../../design/badge.tsx';
import { Icon } from '../../design/icon.tsx';
import styles from './capability-matrix.module.css';

const TONES: Readonly<Record<Exclude<OptionSupport['support'], 'unsupported'>, Tone>> = {
  mapped: 'good',
  emulated: 'info',
};

/** One row for each option, which opens to tell how each agent does it. */
export function OptionRows({ backends }: { backends: readonly BackendRecord[] }) {
  return OPTION_NAMES.map((name) => <OptionRow key={name} name={name} backends={backends} />);
}

function OptionRow({ name, backends }: { name: OptionName; backends: readonly BackendRecord[] }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <tr>
        <th scope="row">
          <button
            type="button"
            className={styles.option}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
            {name}
          </button>
        </th>
        {backends.map(({ id: backend, capabilities }) => {
          const { support, how } = capabilities.options[name];
          return (
            <td key={backend} title={how}>
              {support === 'unsupported' ? (
                <NotThere />
              ) : (
                <Badge tone={TONES[support]}>{support}</Badge>
              )}
            </td>
          );
        })}
      </tr>
      <tr id={id} hidden={!isOpen} className={styles.more}>
        <td colSpan={backends.length + 1}>
          <dl className={styles.hows}>
            {backends.map(({ id: backend, label, capabilities }) => (
              <div key={backend}>
                <dt>{label}</dt>
                <dd>{capabilities.options[name].how}</dd>
              </div>
            ))}
          </dl>
        </td>
      </tr>
    </>
  );
}

function NotThere() {
  return (
    <span className={styles.ability}>
      –<span className="only-for-readers">unsupported</span>
    </span>
  );
}
