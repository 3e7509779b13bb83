import './design/tokens.css';
import './design/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './shell/theme.ts';

applyTheme();
const place = document.getElementById('page');
if (place) createRoot(place).render(<App />);
