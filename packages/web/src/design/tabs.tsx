import * as Ariakit from '@ariakit/react';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

type Props = {
  label: string;
  tabs: readonly { id: string; label: ReactNode; content: () => ReactNode }[];
  selected: string;
  onSelect: (id: string) => void;
};

/** Several views in one place, of which one is shown. */
export function Tabs({ label, tabs, selected, onSelect }: Props) {
  const choose = (id: string | null | undefined) => id && onSelect(id);
  return (
    <Ariakit.TabProvider selectedId={selected} setSelectedId={choose}>
      <Ariakit.TabList aria-label={label} className={styles.list}>
        {tabs.map((tab) => (
          <Ariakit.Tab key={tab.id} id={tab.id} className={styles.tab}>
            {tab.label}
          </Ariakit.Tab>
        ))}
      </Ariakit.TabList>
      {tabs.map(({ id, content }) => (
        <Ariakit.TabPanel key={id} tabId={id} unmountOnHide className={styles.panel}>
          {content()}
        </Ariakit.TabPanel>
      ))}
    </Ariakit.TabProvider>
  );
}
