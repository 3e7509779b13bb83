import type { ChainStatus } from '@baton/protocol';
import { SelectField } from '../../design/field.tsx';
import { useChainsFiles } from '../file/chains-query.ts';
import { CHAIN_LOOKS } from '../status/chain-status.ts';
import styles from './run-filter.module.css';

/** The statuses that the daemon can look for. Whether a run was interrupted is not stored. */
const STATUSES: readonly ChainStatus[] = [
  'running',
  'awaiting_approval',
  'done',
  'failed',
  'timed_out',
  'cancelled',
];

type Filter = { chain: string; status: string };
type Props = Filter & {
  /** The names of chains whose runs are shown. */
  seen: readonly string[];
  onChange: (filter: Filter) => void;
};

/** Shows only the runs of one chain or with one status. */
export function RunFilter({ chain, status, seen, onChange }: Props) {
  const { data: files = [] } = useChainsFiles();
  const known = files.flatMap(({ chains }) => chains.map(({ name }) => name));
  const names = [...new Set([...known, ...seen, ...(chain === '' ? [] : [chain])])].toSorted();
  return (
    <search className={styles.filters}>
      <SelectField
        label="Chain"
        hideLabel
        value={chain}
        onChange={({ target }) => onChange({ chain: target.value, status })}
        options={[
          { value: '', label: 'All chains' },
          ...names.map((name) => ({ value: name, label: name })),
        ]}
      />
      <SelectField
        label="Status"
        hideLabel
        value={status}
        onChange={({ target }) => onChange({ chain, status: target.value })}
        options={[
          { value: '', label: 'All statuses' },
          ...STATUSES.map((each) => ({ value: each, label: CHAIN_LOOKS[each].label })),
        ]}
      />
    </search>
  );
}
