import { type Ref, useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useMay } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { ButtonLink } from '../design/button-link.tsx';
import { Empty } from '../design/empty.tsx';
import { SelectField, TextField } from '../design/field.tsx';
import { PageFrame } from '../design/page-frame.tsx';
import { QueueBlock } from '../session/tasks/why-queued.tsx';
import { useTitle } from '../shell/attention.ts';
import { folderName } from '../text/folder-name.ts';
import styles from './board.module.css';
import { BoardColumn, useColumn } from './board-column.tsx';
import { overlapsBySession } from './board-overlaps.ts';
import { COLUMNS, type Column, isRunning } from './columns.ts';
import { type BoardFilter, given, isFiltering } from './filter.ts';

/** All tasks, by status. */
export function Board() {
  useTitle('Board');
  const [filter, change] = useFilter();
  const shown = useDebounced(filter);
  const { data: anything } = useRecords(['tasks', 'anything'], (client) =>
    client.tasks.find({ limit: 1 }),
  );
  const fits = useFits(shown);
  const overlaps = useOverlaps();
  const search = useRef<HTMLInputElement>(null);
  if (anything?.total === 0) {
    return (
      <PageFrame title="Board" wide>
        <EmptyBoard />
      </PageFrame>
    );
  }
  const clear = () => {
    change(NO_FILTER);
    // The button that was pressed is gone then.
    search.current?.focus();
  };
  return (
    <PageFrame
      title="Board"
      wide
      actions={<Filters filter={filter} onChange={change} searchRef={search} />}
    >
      {/* Once for all queued tasks, not on each of their cards. */}
      <p className={styles.blocked} role="status">
        <QueueBlock />
      </p>
      {fits ? (
        <div className={styles.columns}>
          {COLUMNS.map((column) => (
            <BoardColumn key={column.id} {...{ column, overlaps }} filter={shown} />
          ))}
        </div>
      ) : (
        <NothingFits onClear={clear} />
      )}
    </PageFrame>
  );
}

const NO_FILTER: BoardFilter = { search: '', backend: '', cwd: '' };
const [RUNNING, WAITING] = COLUMNS.filter(isRunning) as [Column, Column];

/** The running sessions that change the same files; a filter does not hide them. */
function useOverlaps() {
  const { data: running } = useColumn(RUNNING, NO_FILTER);
  const { data: waiting } = useColumn(WAITING, NO_FILTER);
  return useMemo(
    () => overlapsBySession([...(running?.data ?? []), ...(waiting?.data ?? [])]),
    [running, waiting],
  );
}

/** False once it is known that no task matches the filter. */
function useFits(filter: BoardFilter): boolean {
  const { data, isPlaceholderData } = useRecords(
    ['tasks', 'fitting', filter],
    (client) => client.tasks.find({ archived: false, limit: 1, ...given(filter) }),
    { enabled: isFiltering(filter) },
  );
  return !isFiltering(filter) || isPlaceholderData || data?.total !== 0;
}

/** The filter is part of the URL, so a bookmark or a shared link shows the same tasks. */
function useFilter(): [BoardFilter, (part: Partial<BoardFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const of = (name: keyof BoardFilter) => params.get(name) ?? '';
  const [search, backend, cwd] = [of('search'), of('backend'), of('cwd')];
  const filter = useMemo(() => ({ search, backend, cwd }), [search, backend, cwd]);
  const change = (part: Partial<BoardFilter>) => {
    const named = Object.entries({ ...filter, ...part }).filter(([, value]) => value !== '');
    setParams(Object.fromEntries(named), { replace: true });
  };
  return [filter, change];
}

function Filters({
  filter: { search, backend, cwd },
  onChange,
  searchRef,
}: {
  filter: BoardFilter;
  onChange: (part: Partial<BoardFilter>) => void;
  searchRef: Ref<HTMLInputElement>;
}) {
  const { data: backends = [] } = useRecords(['backends'], (client) => client.backends.find());
  const { data: sessions } = useRecords(['sessions', 'folders'], (client) =>
    client.sessions.find({ limit: 200 }),
  );
  const folders = [...new Set(sessions?.data.map((session) => session.cwd))].toSorted();
  return (
    <search className={styles.filters}>
      <TextField
        ref={searchRef}
        label="Search prompts"
        hideLabel
        placeholder="Search prompts"
        type="search"
        value={search}
        onChange={(event) => onChange({ search: event.target.value })}
      />
      <SelectField
        label="Agent"
        hideLabel
        value={backend}
        onChange={(event) => onChange({ backend: event.target.value })}
        options={[
          { value: '', label: 'All agents' },
          ...backends.map(({ id, label }) => ({ value: id, label })),
        ]}
      />
      <SelectField
        label="Folder"
        hideLabel
        value={cwd}
        onChange={(event) => onChange({ cwd: event.target.value })}
        options={[
          { value: '', label: 'All folders' },
          ...folders.map((path) => ({ value: path, label: folderName(path) })),
        ]}
      />
    </search>
  );
}

function NothingFits({ onClear }: { onClear: () => void }) {
  return (
    <Empty
      icon="search"
      title="No tasks match these filters"
      actions={
        <Button icon="close" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  );
}

function EmptyBoard() {
  if (!useMay('member')) {
    return (
      <Empty icon="board" title="No tasks yet">
        Tasks show up here once someone starts one.
      </Empty>
    );
  }
  return (
    <Empty
      icon="board"
      title="No tasks yet"
      actions={
        <ButtonLink href="/" look="primary" icon="add">
          New task
        </ButtonLink>
      }
    >
      Start a task and track its progress here.
    </Empty>
  );
}

const DEBOUNCE_MS = 200;

/** Debounces a value: returns it once it has not changed for a moment, so that not every keystroke sends a request. */
function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}
