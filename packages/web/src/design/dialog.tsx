import * as Ariakit from '@ariakit/react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

type Props = {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  /** The buttons at the bottom. */
  actions?: ReactNode;
  wide?: boolean | undefined;
  /** True for a dialog with only text, which is then scrolled with keys. */
  isToRead?: boolean;
  /** The element that gets the focus first; the first button by default. */
  initialFocus?: HTMLElement | null | undefined;
};

/** A modal dialog. */
export function Dialog(props: Props) {
  const { title, open, onClose, children, actions, wide, isToRead, initialFocus = null } = props;
  return (
    <Ariakit.Dialog
      open={open}
      onClose={onClose}
      initialFocus={initialFocus}
      unmountOnHide
      backdrop={<div className={styles.veil} />}
      className={styles.dialog}
      data-wide={wide || undefined}
      data-focus-home=""
    >
      <header className={styles.head}>
        <Ariakit.DialogHeading className={styles.title}>{title}</Ariakit.DialogHeading>
        <IconButton label="Close" icon="close" onClick={onClose} />
      </header>
      <div className={styles.body} tabIndex={isToRead ? 0 : undefined}>
        {children}
      </div>
      {actions && <footer className={styles.actions}>{actions}</footer>}
    </Ariakit.Dialog>
  );
}
