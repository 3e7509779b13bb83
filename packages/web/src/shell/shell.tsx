import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { useDaemon } from '../data/daemon.tsx';
import { useNews } from '../data/news.ts';
import { Loading } from '../design/empty.tsx';
import { useAttention } from './attention.ts';
import { BottomBar } from './bottom-bar.tsx';
import { usePreload } from './lazy-view.tsx';
import { useNotifications } from './notifications.ts';
import { Palette } from './palette.tsx';
import { ReconnectButton } from './reconnect-button.tsx';
import { useRestoreFocus } from './restore-focus.ts';
import styles from './shell.module.css';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SideBar } from './side-bar.tsx';

/** The frame of every view: navigation and global state. */
export function Shell({ children }: { children: ReactNode }) {
  const { isUp } = useDaemon();
  const [isPaletteOpen, openPalette] = useState(false);
  const [isHelpOpen, openHelp] = useState(false);
  useNews();
  usePreload();
  useAttention();
  usePreventFileDrops();
  useRestoreFocus();
  useNotifications();
  useShortcuts({ openPalette: () => openPalette(true), openHelp: () => openHelp(true) });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#view">
        Skip to content
      </a>
      <SideBar openPalette={() => openPalette(true)} />
      <main id="view" className={styles.view} tabIndex={-1}>
        {!isUp && (
          <div className={styles.offline}>
            <p role="status">
              Disconnected from the daemon. Showing the last known state; reconnecting…
            </p>
            <ReconnectButton small />
          </div>
        )}
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </main>
      <BottomBar openPalette={() => openPalette(true)} />
      <Palette open={isPaletteOpen} onClose={() => openPalette(false)} />
      <ShortcutHelp open={isHelpOpen} onClose={() => openHelp(false)} />
    </div>
  );
}

/** Keeps the browser from opening a file that was dropped outside a drop zone. */
function usePreventFileDrops(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
    };
    addEventListener('dragover', refuse);
    addEventListener('drop', refuse);
    return () => {
      removeEventListener('dragover', refuse);
      removeEventListener('drop', refuse);
    };
  }, []);
}
