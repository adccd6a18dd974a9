"""What a browser is called, from how it describes itself (User-Agent). Pure."""

#: Most browsers also name those before whose pages they want to get, so the order matters.
BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "FxiOS/": "Firefox",
    "Chrome/": "Chrome",
    "CriOS/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def browser_called(agent: str) -> str:
    """Such as “Firefox on Windows”; “Unknown browser” if it does not say."""
    browser = next((name for mark, name in BROWSERS.items() if mark in agent), "Unknown browser")
    system = next((name for mark, name in SYSTEMS.items() if mark in agent), "")
    return f"{browser} on {system}" if system else browser
