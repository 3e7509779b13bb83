import { useDaemon } from '../data/daemon.tsx';
import { Button } from '../design/button.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import styles from './account-menu.module.css';
import { chooseTheme, THEMES, useTheme } from './theme.ts';

/** The current user, and the settings of this browser. */
export function AccountMenu() {
  const { me, signOut } = useDaemon();
  const chosen = useTheme();
  return (
    <div className={styles.account}>
      <Menu
        label="Account"
        button={
          <Button look="quiet" icon="user">
            <span className={styles.name}>{me.name}</span>
            <span className={styles.role}>{me.role}</span>
          </Button>
        }
      >
        {THEMES.map(({ theme, label, icon }) => (
          <MenuItem
            key={theme}
            icon={theme === chosen ? 'check' : icon}
            onSelect={() => chooseTheme(theme)}
          >
            {label}
          </MenuItem>
        ))}
        <MenuItem icon="logout" onSelect={signOut}>
          Sign out
        </MenuItem>
      </Menu>
    </div>
  );
}
