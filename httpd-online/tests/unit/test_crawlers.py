# SPDX-License-Identifier: Apache-2.0
"""docs/crawlers.conf: three classes of crawlers, dated, and their comparison with a public list."""

import datetime
import json
import re
import subprocess
import sys

import pytest

from harness.build import COMPONENT, server_build
from harness.server import Server
from harness.standby import standby_module

sys.path.insert(0, str(COMPONENT / "lib"))
import crawlers     # noqa: E402

CLASSES = crawlers.classes()
#: In the form of ai.robots.txt's robots.json
LIST = {
    "ClaudeBot": {"operator": "[Anthropic](https://www.anthropic.com)", "respect": "[Yes](https://support.example/)", "function": "Scrapes data to"
                  " train Anthropic's AI products.", "frequency": "No information.", "description": "Scrapes data to train LLMs."},
    "ChatGPT-User": {"operator": "[OpenAI](https://openai.com)", "respect": "Yes", "function": "Takes action based on user prompts.",
                     "frequency": "Only when prompted by a user.", "description": "Used by plugins in ChatGPT."},
    "Kangaroo Bot": {"operator": "Unclear at this time.", "respect": "Unclear at this time.", "function": "AI Data Scrapers", "frequency":
                     "Unclear at this time.", "description": "Kangaroo Bot is used by Kangaroo LLM.", "has_name_and_version": True},
    "NewBot \"of today\"": {"operator": "", "respect": "", "function": "", "frequency": "", "description": ""},
}
BRING_VISITORS = """OAI-SearchBot ChatGPT-User PerplexityBot Perplexity-User Claude-SearchBot Claude-User facebookexternalhit Applebot
    DuckAssistBot meta-externalfetcher""".split()
IN_NO_CLASS = ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Mozilla/5.0 (compatible; bingbot/2.0)",
               "Mozilla/5.0 (compatible; YandexBot/3.0)", "DuckDuckBot/1.1", "Twitterbot/1.0", "LinkedInBot/1.0", "Slackbot-LinkExpanding 1.0",
               "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
               "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
               "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0", "curl/8.14.1", ""]


def compare(tmp_path, text):
    path = tmp_path / "robots.json"
    path.write_text(text)
    return subprocess.run([COMPONENT / "lib" / "crawlers.py", path], capture_output=True, text=True, check=False)


def test_three_classes_with_a_date_and_a_rate_each():
    text = crawlers.CONF.read_text()
    assert list(CLASSES) == ["training", "search", "seo"]
    assert datetime.date.fromisoformat(re.search(r"^# As of (\S+),", text, re.M)[1]) <= datetime.date.today()
    rates = {name: int(rate) for name, rate in re.findall(r"^StandbyCrawlerRate (\w+) 2 (\d+)$", text, re.M)}
    assert list(rates) == list(CLASSES) and rates["search"] > 0


def test_who_brings_visitors_is_not_refused():
    refused = [name for name in CLASSES if f"StandbyCrawlerRate {name} 2 0\n" in crawlers.CONF.read_text()]
    assert refused == ["training", "seo"]
    for agent in BRING_VISITORS:
        matched = [name for name, words in CLASSES.items() for word in words if word.lower() in agent.lower()]
        assert matched == ["search"], agent
    for agent in IN_NO_CLASS:
        assert crawlers.class_of(agent, CLASSES) is None, agent


def test_each_word_stands_once_and_tells_something():
    words = [word.lower() for known in CLASSES.values() for word in known]
    assert len(set(words)) == len(words) and min(map(len, words)) >= 5
    assert not [(a, b) for a in words for b in words if a != b and a in b and crawlers.class_of(a, CLASSES) != crawlers.class_of(b, CLASSES)]


def test_httpd_takes_it():
    build = server_build(patched=False)
    server = Server(build, "event", reconfigure=False, extra=f"LoadModule standby_module {standby_module(build)}\n{crawlers.CONF.read_text()}")
    try:
        assert server.run("-t").code == 0
        server.config.write_text(server.config.read_text().replace("StandbyCrawlerRate seo", "StandbyCrawlerRate s-e-o"))
        done = server.run("-t")
        assert done.code != 0 and 'StandbyCrawlerRate: expected a class that StandbyCrawlers names, got "s-e-o"' in done.out + done.err
    finally:
        server.finish()


def test_comparison_with_a_public_list(tmp_path):
    done = compare(tmp_path, json.dumps(LIST))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:4] == ["search     ChatGPT-User", "training   ClaudeBot", "training   Kangaroo Bot", 'none       NewBot "of today"']
    assert "not listed AhrefsBot" in lines and "not listed ClaudeBot" not in lines


@pytest.mark.parametrize("text", ["", "[]", "{}", "nothing", '["GPTBot"]', '{"GPTBot": "yes"}', '{"a": null}', '{"a":',
                                  '"\\ud800"'])
def test_list_of_another_form_is_refused_in_one_line(tmp_path, text):
    done = compare(tmp_path, text)
    assert (done.returncode, done.stdout) == (1, "") and "robots.json: " in done.stderr and done.stderr.count("\n") == 1
