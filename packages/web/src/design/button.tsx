import type { ButtonHTMLAttributes, MouseEvent, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'type'> & {
  look?: Look;
  small?: boolean;
  icon?: IconName | undefined;
  /** It does its work: another click would be one too many. */
  busy?: boolean;
  /** It has done its work, and there is nothing more to do until something changes. */
  idle?: boolean;
  /** It is new in its place, and takes no click yet (see guard/use-stable.ts). */
  unstable?: boolean;
  type?: 'button' | 'submit';
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
};

/** A button that cannot be pressed just now, but keeps the focus: one that is disabled would lose it. */
const IDLE = {
  'aria-disabled': true,
  onClick: (event: MouseEvent) => event.preventDefault(),
} as const;
const BUSY = { ...IDLE, 'aria-busy': true } as const;

/** A button with words. */
export function Button({
  look = 'plain',
  small,
  icon,
  busy,
  idle,
  unstable,
  children,
  disabled,
  type = 'button',
  ...rest
}: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={styles.button}
      data-look={look}
      data-small={small || undefined}
      disabled={disabled}
      aria-disabled={unstable || undefined}
      {...(idle ? IDLE : {})}
      {...(busy ? BUSY : {})}
    >
      {icon && <Icon name={icon} size={small ? 15 : 17} />}
      {children}
    </button>
  );
}

/** A button that shows only a pictogram; its label is read out and shown as a hint. */
export function IconButton({
  label,
  icon,
  look = 'quiet',
  busy,
  unstable,
  disabled,
  small,
  ...rest
}: Omit<Props, 'children' | 'icon' | 'idle'> & { label: string; icon: IconName }) {
  return (
    <button
      {...rest}
      type="button"
      className={styles.button}
      data-look={look}
      data-small={small || undefined}
      data-bare
      aria-label={label}
      title={label}
      disabled={disabled}
      aria-disabled={unstable || undefined}
      {...(busy ? BUSY : {})}
    >
      <Icon name={icon} size={small ? 15 : 18} />
    </button>
  );
}
