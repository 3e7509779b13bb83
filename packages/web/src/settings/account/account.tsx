import { useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { CheckField, SelectField } from '../../design/field.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { tell } from '../../design/toasts.tsx';
import { chooseSingleKeys, useSingleKeys } from '../../guard/single-keys.ts';
import { chooseNotifications, useNotificationChoice } from '../../shell/notifications.ts';
import { chooseTheme, THEMES, type Theme, useTheme } from '../../shell/theme.ts';
import { MODIFIER } from '../../text/modifier.ts';
import styles from './account.module.css';
import { Password } from './password.tsx';

const WHEN = 'When an agent needs input and this tab isn’t focused.';
const HINTS: Readonly<Record<ReturnType<typeof useNotificationChoice>, string>> = {
  on: WHEN,
  off: WHEN,
  refused: 'Blocked by the browser. Allow notifications in site settings.',
  missing: 'Notifications require HTTPS.',
};

/** Settings of the current user. */
export function Account() {
  const query = useRecords(['users', 'me'], (client) => client.users.me());
  return (
    <>
      <QueryResult query={query}>{(me) => <Password me={me} />}</QueryResult>
      <ThisBrowser />
    </>
  );
}

function ThisBrowser() {
  const theme = useTheme();
  const notifications = useNotificationChoice();
  const areKeysOn = useSingleKeys();
  const choose = async (on: boolean) => {
    if ((await chooseNotifications(on)) === 'refused' && on) {
      tell('Notifications are blocked by the browser.', {
        tone: 'bad',
        hint: 'Allow notifications in site settings.',
      });
    }
  };
  return (
    <Section title="This browser" about="Saved in this browser only.">
      <Card>
        <div className={styles.fields}>
          <SelectField
            label="Theme"
            value={theme}
            options={THEMES.map(({ theme, label }) => ({ value: theme, label }))}
            onChange={(event) => chooseTheme(event.target.value as Theme)}
          />
          <CheckField
            label="Notifications"
            hint={HINTS[notifications]}
            checked={notifications === 'on'}
            disabled={notifications === 'missing'}
            onChange={(event) => choose(event.target.checked)}
          />
          <CheckField
            label="Single-key shortcuts"
            hint={`For example c for new task, y to allow, ? for help. ${MODIFIER}+K always works.`}
            checked={areKeysOn}
            onChange={(event) => chooseSingleKeys(event.target.checked)}
          />
        </div>
      </Card>
    </Section>
  );
}
