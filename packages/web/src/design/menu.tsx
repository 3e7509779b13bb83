import * as Ariakit from '@ariakit/react';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './menu.module.css';

type MenuProps = {
  /** The trigger: a button that gets the menu props. */
  button: NonNullable<Ariakit.MenuButtonProps['render']>;
  label: string;
  children: ReactNode;
};

/** A menu of actions that opens from a button. */
export function Menu({ button, label, children }: MenuProps) {
  return (
    <Ariakit.MenuProvider placement="bottom-end">
      <Ariakit.MenuButton render={button} />
      <Ariakit.Menu
        aria-label={label}
        gutter={4}
        portal
        unmountOnHide
        className={`popover ${styles.menu}`}
      >
        {children}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

type ItemProps = {
  icon?: IconName;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
};

/** One action in a menu. */
export function MenuItem({ icon, danger, disabled = false, onSelect, children }: ItemProps) {
  return (
    <Ariakit.MenuItem
      className={styles.item}
      data-danger={danger || undefined}
      disabled={disabled}
      onClick={onSelect}
    >
      {icon && <Icon name={icon} size={16} />}
      {children}
    </Ariakit.MenuItem>
  );
}
