import type { UseQueryResult } from '@tanstack/react-query';
import { type ComponentType, type ReactElement, type ReactNode, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Section } from '../design/page-frame.tsx';
import { Rows } from '../design/rows.tsx';
import { FormDialog } from './form-dialog.tsx';
import { QueryResult } from './query-result.tsx';

type DialogProps = { open: boolean; onClose: () => void };

type Props<Item> = {
  title: string;
  about: ReactNode;
  /** The accessible name of the list; its title by default. */
  label?: string;
  query: UseQueryResult<readonly Item[] | { data: readonly Item[]; total: number }>;
  /** Loads more items of a query that returns pages. */
  onMore?: () => void;
  /** The button that opens the dialog to add an item; omit it for users who may not. */
  add?: { label: string; dialog: ComponentType<DialogProps> } | false;
  /** Removes an item, after a confirmation. */
  remove?: {
    title: string;
    verb: string;
    about: (item: Item) => ReactNode;
    act: (item: Item) => Promise<unknown>;
  };
  empty?: ReactNode;
  /** The row of an item, with its key; `onRemove` opens the confirmation. */
  children: (item: Item, onRemove: () => void) => ReactElement;
};

/** A section with a list of records, a dialog to add one, and a confirmation to remove one. */
export function RecordList<Item>(props: Props<Item>) {
  const { title, about, label = title, query, onMore, add, remove, empty, children } = props;
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Item>();
  return (
    <Section
      title={title}
      about={about}
      actions={
        add && (
          <Button icon="add" onClick={() => setAdding(true)}>
            {add.label}
          </Button>
        )
      }
    >
      <QueryResult query={query}>
        {(result) => {
          const { data, total } = 'data' in result ? result : { data: result, total: 0 };
          return (
            <>
              <Rows label={label} empty={empty}>
                {data.map((item) => children(item, () => setRemoved(item)))}
              </Rows>
              {onMore && total > data.length && <Button onClick={onMore}>Show more</Button>}
            </>
          );
        }}
      </QueryResult>
      {add && <add.dialog open={isAdding} onClose={() => setAdding(false)} />}
      {remove && (
        <FormDialog
          title={remove.title}
          open={removed !== undefined}
          onClose={() => setRemoved(undefined)}
          verb={remove.verb}
          danger
          onSubmit={async () => removed !== undefined && remove.act(removed)}
        >
          <p>{removed !== undefined && remove.about(removed)}</p>
        </FormDialog>
      )}
    </Section>
  );
}
