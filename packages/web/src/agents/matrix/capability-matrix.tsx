import type { BackendRecord } from '@baton/client';
import { FEATURES } from '@baton/protocol';
import { Icon } from '../../design/icon.tsx';
import { Section } from '../../design/page-frame.tsx';
import { FEATURE_WORDS } from './capability-labels.ts';
import styles from './capability-matrix.module.css';
import { Matrix } from './matrix.tsx';
import { OptionRows } from './option-rows.tsx';

type Props = { backends: readonly BackendRecord[] };

/** Capabilities of each agent, and its support for each option. */
export function CapabilityMatrix({ backends }: Props) {
  return (
    <>
      <Section title="Capabilities">
        <Matrix label="Agent capabilities" head="Capability" backends={backends}>
          {FEATURES.map((feature) => (
            <tr key={feature}>
              <th scope="row">{FEATURE_WORDS[feature]}</th>
              {backends.map(({ id, capabilities }) => (
                <td key={id}>
                  <Ability isThere={capabilities.features[feature]} />
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">Verified stop</th>
            {backends.map(({ id, capabilities }) => (
              <td key={id}>
                <Ability isThere={capabilities.stop === 'verified'} />
              </td>
            ))}
          </tr>
        </Matrix>
      </Section>
      <Section
        title="Option support"
        about="Mapped: passed to the agent. Emulated: implemented by Baton. Expand an option for details."
      >
        <Matrix label="Agent options" head="Option" backends={backends}>
          <OptionRows backends={backends} />
        </Matrix>
      </Section>
    </>
  );
}

function Ability({ isThere }: { isThere: boolean }) {
  return (
    <span className={styles.ability} data-there={isThere || undefined}>
      {isThere ? <Icon name="check" size={16} /> : '–'}
      <span className="only-for-readers">{isThere ? 'yes' : 'no'}</span>
    </span>
  );
}
