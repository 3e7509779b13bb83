import { Suspense, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { useNews } from '../data/news.ts';
import { Loading } from '../design/empty.tsx';
import { Views } from '../views.tsx';
import { useAttention } from './attention.ts';
import { BottomBar } from './bottom-bar.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { useLoadAhead } from './later.tsx';
import { useNotifications } from './notifications.ts';
import { Palette } from './palette.tsx';
import styles from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SideBar } from './side-bar.tsx';
import { useNoStrayDrops } from './stray-drops.ts';
import { TryNow } from './try-now.tsx';

/** What is around every view: the ways to all others, and what must be known everywhere. */
export function Shell() {
  const { isUp } = useDaemon();
  const [isPaletteOpen, openPalette] = useState(false);
  const [isHelpOpen, openHelp] = useState(false);
  useNews();
  useLoadAhead();
  useAttention();
  useNoStrayDrops();
  useKeptFocus();
  useNotifications();
  useShortcuts({ openPalette: () => openPalette(true), openHelp: () => openHelp(true) });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#view">
        Skip to the content
      </a>
      <SideBar openPalette={() => openPalette(true)} />
      <main id="view" className={styles.view} tabIndex={-1}>
        {!isUp && (
          <div className={styles.offline}>
            <p role="status">
              The daemon does not answer. What you see is the last that was heard; it goes on by
              itself.
            </p>
            <TryNow small />
          </div>
        )}
        <Suspense fallback={<Loading />}>
          <Views />
        </Suspense>
      </main>
      <BottomBar openPalette={() => openPalette(true)} />
      <Palette open={isPaletteOpen} onClose={() => openPalette(false)} />
      <ShortcutHelp open={isHelpOpen} onClose={() => openHelp(false)} />
    </div>
  );
}
