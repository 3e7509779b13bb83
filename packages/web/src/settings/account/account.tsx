import { Answered } from '../../data/answered.tsx';
import { useRecords } from '../../data/queries.ts';
import { CheckField, SelectField } from '../../design/field.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { tell } from '../../design/toasts.tsx';
import { chooseNotifications, useNotificationChoice } from '../../shell/notifications.ts';
import { chooseSingleKeys, useSingleKeys } from '../../shell/single-keys.ts';
import { chooseTheme, THEMES, type Theme, useTheme } from '../../shell/theme.ts';
import { MODIFIER } from '../../text/modifier.ts';
import styles from './account.module.css';
import { Password } from './password.tsx';

const WHEN = 'When an agent begins to wait for an answer and you look at something else.';
const HINTS: Readonly<Record<ReturnType<typeof useNotificationChoice>, string>> = {
  on: WHEN,
  off: WHEN,
  refused: 'The browser refuses them for this page; allow them in its settings.',
  missing: 'The browser has none for this page: its address is not an encrypted one.',
};

/** What concerns only the person who is signed in. */
export function Account() {
  const query = useRecords(['users', 'me'], (client) => client.users.me());
  return (
    <>
      <Answered query={query}>{(me) => <Password me={me} />}</Answered>
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
      tell('The browser does not let this page show notifications.', {
        tone: 'bad',
        hint: 'Allow them for this page in the settings of the browser.',
      });
    }
  };
  return (
    <Section title="This browser" about="Kept in this browser only.">
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
            label="Single keys"
            hint={`Such as c for a new task, y to allow what is asked, or ? for help. ${MODIFIER} K works anyway.`}
            checked={areKeysOn}
            onChange={(event) => chooseSingleKeys(event.target.checked)}
          />
        </div>
      </Card>
    </Section>
  );
}
