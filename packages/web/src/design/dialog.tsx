import * as Ariakit from '@ariakit/react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import styles from './dialog.module.css';

type Props = {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  /** What can be done, at the end of it. */
  actions?: ReactNode;
  wide?: boolean | undefined;
  /** There is nothing to do in it, only to read: then it is scrolled with keys. */
  isToRead?: boolean;
  /** Where people begin, unless it is the first button. */
  initialFocus?: HTMLElement | null | undefined;
};

/** A window over the page that has to be left before anything else can be done. */
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
