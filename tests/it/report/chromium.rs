//! A real browser without a window, told what to do over a pair of pipes in the protocol of its
//! developer tools (<https://chromedevtools.github.io/devtools-protocol/>): messages of JSON, each
//! ended by a zero byte. That is little enough to speak without a driver beside the browser.

#![expect(
    clippy::disallowed_methods,
    reason = "a browser takes its time, and gets no more than it may"
)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const MISSING: &str = "\
there is no Chromium to test the report in: `apt-get install chromium` brings it, and \
METASTABLE_WITHOUT_BROWSER=1 leaves these tests out";
const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
    "--window-size=1280,900",
];
/// An answer that takes longer does not come.
const PATIENCE: Duration = Duration::from_secs(30);

/// One browser at a time: two cores have enough to do with one.
static ALONE: Mutex<()> = Mutex::new(());

/// A browser with one page.
pub(super) struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// What it told without being asked.
    told: Vec<Value>,
    // Dropped last: the browser writes there to the end.
    _profile: TempDir,
    _alone: MutexGuard<'static, ()>,
}

impl Browser {
    /// None if the environment says that there is none.
    pub(super) fn start() -> Option<Self> {
        if std::env::var_os("METASTABLE_WITHOUT_BROWSER").is_some() {
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().expect("a folder for the browser's own files");
        // The browser reads from descriptor 3 and writes to 4; a shell can put ours there.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1"])
            .arg(found().expect(MISSING))
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("its input is a pipe");
        let output = child.stdout.take().expect("its output is a pipe");
        let (told, from) = channel();
        thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if told.send(message).is_err() {
                    break;
                }
            }
        });
        let mut browser = Self {
            child,
            to,
            from,
            session: None,
            last: 0,
            told: Vec::new(),
            _profile: profile,
            _alone: alone,
        };
        let page = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attach);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    /// Calls a method and waits for what it returns.
    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let told = self.from.recv_timeout(PATIENCE);
            let told = told.unwrap_or_else(|error| panic!("no answer to {method}: {error}"));
            if told["id"] == self.last {
                assert!(told["error"].is_null(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
            self.told.push(told);
        }
    }

    /// Opens a file, and says how long it took until it was there and what is seen first was drawn.
    pub(super) fn open(&mut self, file: &Path) -> Duration {
        let begun = Instant::now();
        self.call("Page.navigate", &json!({ "url": format!("file://{}", file.display()) }));
        self.until(
            "document.readyState === 'complete' && document.querySelector('footer') !== null",
        );
        self.value(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        begun.elapsed()
    }

    /// What a script comes to.
    pub(super) fn value(&mut self, script: &str) -> Value {
        let params = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", &params);
        assert!(result["exceptionDetails"].is_null(), "{script}: {result:#}");
        result["result"]["value"].clone()
    }

    /// The text that a script comes to.
    pub(super) fn text(&mut self, script: &str) -> String {
        let value = self.value(script);
        value.as_str().unwrap_or_else(|| panic!("{script} is no text but {value}")).to_owned()
    }

    /// The number that a script comes to.
    pub(super) fn number(&mut self, script: &str) -> f64 {
        let value = self.value(script);
        value.as_f64().unwrap_or_else(|| panic!("{script} is no number but {value}"))
    }

    /// Waits until a script comes to true.
    pub(super) fn until(&mut self, script: &str) {
        let begun = Instant::now();
        while self.value(script) != true {
            assert!(begun.elapsed() < PATIENCE, "{script} does not come true");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// A screen of so many pixels.
    pub(super) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Which colours the reader prefers: `light` or `dark`.
    pub(super) fn prefer(&mut self, colours: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": colours }]);
        self.call("Emulation.setEmulatedMedia", &json!({ "features": feature }));
    }

    /// Moves the mouse over what `selector` finds, to a share of its width.
    pub(super) fn point_at(&mut self, selector: &str, share: f64) {
        let (x, y) = self.place(selector, share);
        self.mouse("mouseMoved", x, y, json!({}));
    }

    /// Clicks in the middle of what `selector` finds.
    pub(super) fn click(&mut self, selector: &str) {
        let (x, y) = self.place(selector, 0.5);
        self.mouse("mouseMoved", x, y, json!({}));
        for event in ["mousePressed", "mouseReleased"] {
            self.mouse(event, x, y, json!({ "button": "left", "clickCount": 1 }));
        }
    }

    /// Draws the mouse over what `selector` finds, from one share of its width to another.
    pub(super) fn drag(&mut self, selector: &str, from: f64, to: f64) {
        let (left, y) = self.place(selector, from);
        let (right, _) = self.place(selector, to);
        self.mouse("mouseMoved", left, y, json!({}));
        self.mouse("mousePressed", left, y, json!({ "button": "left", "clickCount": 1 }));
        for x in [f64::midpoint(left, right), right] {
            self.mouse("mouseMoved", x, y, json!({ "button": "left", "buttons": 1 }));
        }
        self.mouse("mouseReleased", right, y, json!({ "button": "left", "clickCount": 1 }));
    }

    fn mouse(&mut self, event: &str, x: f64, y: f64, mut params: Value) {
        params["type"] = json!(event);
        params["x"] = json!(x);
        params["y"] = json!(y);
        self.call("Input.dispatchMouseEvent", &params);
    }

    /// Where on the screen that is, brought into view: once it stays there, since what is drawn as it
    /// comes near may still move it.
    fn place(&mut self, selector: &str, share: f64) -> (f64, f64) {
        let script = format!(
            "new Promise((done) => {{ const found = document.querySelector({selector:?});
               found.scrollIntoView({{ block: 'center', behavior: 'instant' }});
               requestAnimationFrame(() => requestAnimationFrame(() => {{
                 const box = found.getBoundingClientRect();
                 done([box.left + {share} * box.width, box.top + box.height / 2]); }})); }})"
        );
        let begun = Instant::now();
        let mut last = self.value(&script);
        loop {
            let place = self.value(&script);
            if place == last {
                let number = |nth: usize| place[nth].as_f64().expect("a place");
                return (number(0), number(1));
            }
            assert!(begun.elapsed() < PATIENCE, "{selector} does not stand still");
            last = place;
        }
    }

    /// Presses a key that is known by this name.
    pub(super) fn press(&mut self, key: &str) {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let text = match key {
            "Enter" => "\r",
            "+" | "-" => key,
            _ => "",
        };
        for event in ["keyDown", "keyUp"] {
            let mut params = json!({ "type": event, "key": key, "windowsVirtualKeyCode": code });
            if event == "keyDown" && !text.is_empty() {
                params["text"] = json!(text);
            }
            self.call("Input.dispatchKeyEvent", &params);
        }
    }

    /// What went wrong in the page, and whatever it asked for that is not in its file.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        self.value("1");
        let complaint = |told: &Value| match told["method"].as_str()? {
            "Runtime.exceptionThrown"
            | "Runtime.consoleAPICalled"
            | "Log.entryAdded"
            | "Page.javascriptDialogOpening" => Some(told.to_string()),
            "Network.requestWillBeSent" => {
                let url = told["params"]["request"]["url"].as_str()?;
                let is_own = url.starts_with("file:///") || url.starts_with("data:");
                (!is_own).then(|| url.to_owned())
            }
            _ => None,
        };
        self.told.iter().filter_map(complaint).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may be gone already, and then there is nobody to tell.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The browser, by whichever name it is installed.
fn found() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files = NAMES.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}
