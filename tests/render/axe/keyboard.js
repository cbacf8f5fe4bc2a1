// Use a page by the keyboard alone, in headless Chromium: node keyboard.js PAGE CHROMIUM
// Prints one JSON object; nothing is judged here.
"use strict";
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { chromium } = require(path.join(process.env.MODULES, "playwright-core"));

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const MOST_TABS = 1000;

// What a reader meets at the focused element.
const describe = () => {
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const all = [...document.querySelectorAll("*")];
  const box = e.getBoundingClientRect();
  const style = getComputedStyle(e);
  return {
    place: all.indexOf(e),
    tag: e.tagName.toLowerCase(),
    text: (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || "")
      .trim().slice(0, 60),
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    ringed: e.matches(":focus-visible"),
    seen: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    area: box.width * box.height,
  };
};

// What should be reached, in the order of the document.
const reachable = () => {
  const all = [...document.querySelectorAll("*")];
  return all
    .filter((e) => e.matches("a[href], summary, button, input, select, textarea, [tabindex='0']"))
    .filter((e) => e.checkVisibility())
    // a group of radio buttons is one stop, at the chosen one; arrows move within it
    .filter((e) => e.type !== "radio" || e.checked)
    .map((e) => all.indexOf(e));
};

const shape = () => {
  const root = document.documentElement;
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  const named = (e) => e.getAttribute("aria-label") || e.textContent.trim();
  const scrolls = [...document.querySelectorAll("*")].filter(
    (e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 &&
      ["auto", "scroll"].includes(getComputedStyle(e).overflowX) && e !== root);
  return {
    wide: root.scrollWidth - root.clientWidth,
    scrolls: scrolls.length,
    unreachable: scrolls.filter((e) => e.tabIndex !== 0).map((e) => named(e).slice(0, 60)),
    nameless: scrolls.filter((e) => !e.getAttribute("aria-label")).map((e) => e.outerHTML.slice(0, 80)),
    twice: ids.filter((id, k) => ids.indexOf(id) !== k),
    positive: document.querySelectorAll("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").length,
  };
};

const main = async () => {
  const [page_file, executablePath] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const found = { requests: [], shapes: {} };
  const address = pathToFileURL(page_file).href;
  const open = async (width, scale = 1) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 }, deviceScaleFactor: scale });
    const page = await context.newPage();
    page.on("request", (r) => {
      if (r.url() !== address && !r.url().startsWith("data:")) found.requests.push(r.url());
    });
    await page.goto(address);
    return page;
  };

  // 1280 pixels at 200 and 400 %, and a telephone, hold as much as these
  for (const [name, width, scale] of [["1280", 1280, 1], ["200 %", 640, 2], ["400", 400, 1], ["400 %", 320, 4]]) {
    const page = await open(width, scale);
    found.shapes[name] = await page.evaluate(shape);
    await page.context().close();
  }

  const page = await open(1280);
  found.reachable = await page.evaluate(reachable);
  found.tabbed = [];
  for (let k = 0; k < MOST_TABS; k += 1) {
    await page.keyboard.press("Tab");
    const here = await page.evaluate(describe);
    if (here === null) break;
    found.tabbed.push(here);
  }
  // and back again: the way out is open in both directions
  await page.keyboard.press("Shift+Tab");
  found.back = await page.evaluate(describe);

  const again = await open(1280);
  await again.keyboard.press("Tab");
  found.skip = await again.evaluate(describe);
  await again.keyboard.press("Enter");
  found.hash = await again.evaluate(() => location.hash);
  await again.keyboard.press("Tab");
  found.after_skip = await again.evaluate(() =>
    document.querySelector("main").contains(document.activeElement));
  found.skipped = (await again.evaluate(describe)).place;

  const summary = again.locator("summary").first();
  if (await summary.count()) {
    const open_now = () => summary.evaluate((e) => e.parentElement.open);
    await summary.focus();
    await again.keyboard.press("Enter");
    found.opened = await open_now();
    await again.keyboard.press("Space");
    found.closed = !(await open_now());
  }

  const narrow = await open(400);
  found.scrolled = await narrow.evaluate(() => {
    const box = [...document.querySelectorAll("[tabindex='0']")].find(
      (e) => e.scrollWidth > e.clientWidth + 40);
    if (box) box.focus();
    return box ? box.scrollLeft : null;
  });
  if (found.scrolled !== null) {
    for (let k = 0; k < 3; k += 1) await narrow.keyboard.press("ArrowRight");
    // scrolling is smooth, and a busy machine draws late
    for (let k = 0; k < 100 && !found.scrolled; k += 1) {
      await narrow.waitForTimeout(200);
      found.scrolled = await narrow.evaluate(() => document.activeElement.scrollLeft);
    }
  }
  await browser.close();
  process.stdout.write(JSON.stringify(found));
};

main().catch((error) => { process.stderr.write(String(error && error.stack)); process.exit(1); });
