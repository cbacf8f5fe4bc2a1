// Reads an HTML file in headless Chromium and prints what axe finds, as JSON.
// node accessibility.mjs NODE_MODULES CHROMIUM FILE WIDTH
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const [modules, chromium, file, width] = process.argv.slice(2);
const require = createRequire(modules.replace(/\/?$/, "/index.js"));
const browser = await require("playwright-core").chromium.launch({ executablePath: chromium, args: ["--no-sandbox"] });
const context = await browser.newContext({ viewport: { width: Number(width), height: 900 }, bypassCSP: true });
const page = await context.newPage();
await page.goto(pathToFileURL(file).href);
await page.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
const found = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
console.log(JSON.stringify(found.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 200))])));
await browser.close();
