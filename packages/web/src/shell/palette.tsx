import * as Ariakit from '@ariakit/react';
import {
  type KeyboardEvent,
  startTransition,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { useDaemon } from '../data/daemon.tsx';
import { useRecords } from '../data/queries.ts';
import { Icon } from '../design/icon.tsx';
import { isComposing } from '../design/keyboard-events.ts';
import { sessionTitle } from '../text/session-title.ts';
import styles from './palette.module.css';
import { usePlaces } from './places.ts';
import { chooseTheme, THEMES } from './theme.ts';
import { useOfferedActions, type ViewAction } from './view-actions.ts';

const MOST_SESSIONS = 20;
const MOST_SHOWN = 20;
const LONGEST_SEARCH = 200;

/** The command palette: finds views, sessions and actions by a few letters. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const chosen = useRef<() => void>(undefined);
  const hasActed = useRef(false);
  useEffect(() => {
    const act = chosen.current;
    chosen.current = undefined;
    hasActed.current = false;
    if (open || !act) return;
    // What takes the focus can have it once the palette has given it back, which may take until the next frame.
    const actAfterwards = () => {
      hasActed.current = true;
      act();
    };
    requestAnimationFrame(() => requestAnimationFrame(actAfterwards));
  }, [open]);
  return (
    <Ariakit.Dialog
      open={open}
      onClose={onClose}
      unmountOnHide
      // On a slow machine the palette gives the focus back late, and must not take it from the action.
      autoFocusOnHide={() => !hasActed.current || document.activeElement === document.body}
      aria-label="Search or jump to…"
      backdrop={<div className={styles.veil} />}
      className={styles.palette}
    >
      <Search
        onChosen={(act) => {
          chosen.current = act;
          onClose();
        }}
      />
    </Ariakit.Dialog>
  );
}

function Search({ onChosen }: { onChosen: (act: () => void) => void }) {
  const [text, setText] = useState('');
  const items = useItems(useDeferredValue(text.trim().slice(0, LONGEST_SEARCH)));
  const found = useMemo(() => matching(items, text), [items, text]);
  /** Chooses the active result, or the first one for the typed text: the list may be behind a fast Enter. */
  const choose = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    const { value } = event.currentTarget;
    const activeId = event.currentTarget.getAttribute('aria-activedescendant') ?? '';
    const active = document.getElementById(activeId)?.dataset.action;
    const results = matching(items, value);
    const chosen = results.find(({ id }) => id === active) ?? results[0];
    if (chosen) onChosen(chosen.act);
  };
  return (
    <Ariakit.ComboboxProvider
      open
      focusLoop
      setValue={(value) => startTransition(() => setText(value))}
    >
      <div className={styles.line}>
        <Icon name="search" />
        <Ariakit.Combobox
          autoSelect="always"
          autoFocus
          onKeyDownCapture={choose}
          placeholder="Search sessions, views and commands…"
          aria-label="Search"
          className={styles.input}
        />
      </div>
      <Ariakit.ComboboxList alwaysVisible aria-label="Results" className={styles.list}>
        {found.map(({ id, label, about, icon, act }) => (
          <Ariakit.ComboboxItem
            key={id}
            value={id}
            data-action={id}
            setValueOnClick={false}
            className={styles.item}
            onClick={() => onChosen(act)}
          >
            <Icon name={icon} size={16} />
            <span className={styles.label} dir="auto">
              {label}
            </span>
            {about && <span className={styles.about}>{about}</span>}
          </Ariakit.ComboboxItem>
        ))}
        {found.length === 0 && <p className={styles.nothing}>No results</p>}
      </Ariakit.ComboboxList>
    </Ariakit.ComboboxProvider>
  );
}

function useItems(search: string): ViewAction[] {
  const [, navigate] = useLocation();
  const { signOut } = useDaemon();
  const offered = useOfferedActions();
  const places = usePlaces();
  const { data } = useRecords(['sessions', 'palette', search], (client) =>
    client.sessions.find({ limit: MOST_SESSIONS, ...(search === '' ? {} : { search }) }),
  );
  return useMemo(() => {
    const views = places.map(({ path, label, icon }): ViewAction => {
      return { id: path, label, icon, act: () => navigate(path) };
    });
    const sessions = (data?.data ?? []).map(({ session_id, title, cwd }): ViewAction => {
      const path = `/sessions/${session_id}`;
      return {
        id: path,
        label: sessionTitle({ title, cwd }),
        about: cwd,
        icon: 'list',
        act: () => navigate(path),
      };
    });
    const actions: ViewAction[] = [
      ...THEMES.map(({ theme, label, icon }): ViewAction => {
        return { id: theme, label, icon, act: () => chooseTheme(theme) };
      }),
      { id: 'sign-out', label: 'Sign out', icon: 'logout', act: signOut },
    ];
    return [...views, ...offered, ...sessions, ...actions];
  }, [navigate, signOut, data, offered, places]);
}

/** Returns the items that contain every word. */
function matching(items: readonly ViewAction[], text: string): ViewAction[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter(({ label, about = '' }) => {
    const all = `${label} ${about}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return found.slice(0, MOST_SHOWN);
}
