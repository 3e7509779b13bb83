import * as Ariakit from '@ariakit/react';
import { type Ref, useDeferredValue, useMemo, useState } from 'react';
import { useRecords } from '../data/queries.ts';
import { Icon } from '../design/icon.tsx';
import styles from './folder-field.module.css';

type Props = {
  value: string;
  onChange: (path: string) => void;
  /** Folders that were worked in before. */
  recent: readonly string[];
  /** Called when the user moves on. */
  onLeave: () => void;
  /** The element that says what is wrong with it. */
  trouble?: string | undefined;
  ref: Ref<HTMLInputElement>;
};

const MOST = 30;

/** Chooses the folder that an agent works in: one of before, or any on the machine of the daemon. */
export function FolderField({ value, onChange, recent, onLeave, trouble, ref }: Props) {
  const [isOpen, setOpen] = useState(false);
  const typed = useDeferredValue(value);
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const { data } = useRecords(['files', 'folders', folder], (client) =>
    client.folders.find(folder === '' ? {} : { path: folder }),
  );
  const below = data?.data;
  const found = useMemo(() => {
    const known = recent.filter((path) => path.includes(typed));
    const there = (below ?? []).filter(({ path }) => path.startsWith(typed));
    return [...new Set([...known, ...there.map(({ path }) => path)])].slice(0, MOST);
  }, [recent, below, typed]);
  return (
    <Ariakit.ComboboxProvider
      value={value}
      setValue={onChange}
      open={isOpen && found.length > 0}
      setOpen={setOpen}
    >
      <div className={styles.field}>
        <Ariakit.ComboboxLabel className={styles.label}>
          <Icon name="folder" size={16} />
          Folder
        </Ariakit.ComboboxLabel>
        <Ariakit.Combobox
          ref={ref}
          aria-invalid={trouble !== undefined || undefined}
          aria-describedby={trouble}
          placeholder="/path/to/a/project"
          className={styles.input}
          spellCheck={false}
          autoComplete="both"
          // From now on it is theirs: what would be offered later would mix with what they write.
          onFocus={() => onChange(value)}
          onBlur={onLeave}
        />
      </div>
      <Ariakit.ComboboxPopover
        gutter={4}
        sameWidth
        portal
        unmountOnHide
        className={`popover ${styles.list}`}
      >
        {found.map((path) => (
          <Ariakit.ComboboxItem key={path} value={path} className={`cut-line ${styles.item}`} />
        ))}
      </Ariakit.ComboboxPopover>
    </Ariakit.ComboboxProvider>
  );
}
