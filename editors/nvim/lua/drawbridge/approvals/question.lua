--- How a question reads: in one line, before the choice, and whole. No buffer is
--- touched here. What the model or a repository wrote is shown to the letter, with
--- what would be invisible named.

local running = require("drawbridge.running")
local subagents = require("drawbridge.subagents.words")
local visible = require("drawbridge.visible")

local M = {}

---@class (exact) drawbridge.QuestionMark A colour on a part of a line.
---@field row integer From 0.
---@field from integer Byte column, from 0.
---@field to integer Byte column after the last.
---@field group string

---@class (exact) drawbridge.QuestionPage
---@field lines string[]
---@field groups table<integer, string> Colours of whole lines, by line from 1.
---@field marks drawbridge.QuestionMark[]
---@field syntax? string
---@field last? integer The last line that the syntax is for; absent: all.

--- How each verdict on a part of a command is marked.
---@type table<drawbridge.Verdict, { sign: string, group: string }>
local verdicts = {
  allow = { sign = "✓", group = "DrawbridgeAllow" },
  ask = { sign = "?", group = "DrawbridgeAsk" },
  deny = { sign = "✗", group = "DrawbridgeDeny" },
}

---@type table<drawbridge.Scope, string>
local scopes = {
  once = "once",
  session = "for this session",
  workspace = "in this workspace",
  user = "always",
}

--- How long a yes holds, in words.
---@param scope drawbridge.Scope
---@return string
function M.scope(scope)
  return scopes[scope] or scope
end

--- A rule, or several, in one line.
---@param rule string
---@return string
function M.rule(rule)
  return table.concat(visible.lines((rule:gsub("\n$", ""))), "  and  ")
end

---@param diff string
---@return integer plus, integer minus
local function count(diff)
  local plus, minus = 0, 0
  for line in vim.gsplit(diff, "\n", { plain = true }) do
    if vim.startswith(line, "+") and not vim.startswith(line, "+++ ") then
      plus = plus + 1
    elseif vim.startswith(line, "-") and not vim.startswith(line, "--- ") then
      minus = minus + 1
    end
  end
  return plus, minus
end

---@param q drawbridge.CommandQuestion
---@return string
local function command_headline(q)
  local lines = vim.split(q.text, "\n", { plain = true })
  local text = visible.text(lines[1])
  if #lines > 1 then
    text = ("%s … (%d lines)"):format(text, #lines)
  end
  local held = running.held(q)
  local what = ("Run: %s  in %s"):format(text, visible.text(vim.fn.fnamemodify(q.cwd, ":~")))
  if q.typedInto then
    what = visible.text(("Type %s into: %s"):format(running.typed(q.text), q.typedInto))
  end
  return what .. (held and "  (" .. held .. ")" or "")
end

local verbs = { create = "Create", modify = "Change", delete = "Delete", rename = "Rename" }

---@param change drawbridge.ChangeQuestion
---@return string
local function change_headline(change)
  local plus, minus = count(change.diff)
  local path = visible.text(vim.fn.fnamemodify(vim.uri_to_fname(change.uri), ":~:."))
  local hunks = ("%d hunk%s"):format(#change.hunks, #change.hunks == 1 and "" or "s")
  return ("%s %s  +%d −%d  %s"):format(verbs[change.kind] or "Change", path, plus, minus, hunks)
end

--- The question in one line: the exact command and where it runs, or the file
--- and how much of it changes, or the address that is read; first who asks, when that is a subagent.
---@param params drawbridge.ApprovalRequestParams
---@return string
function M.headline(params)
  local what
  if params.command then
    what = command_headline(params.command)
  elseif params.change then
    what = change_headline(params.change --[[@as drawbridge.ChangeQuestion]])
  elseif params.url and params.url ~= "" then
    what = "Read: " .. visible.text(params.url)
  else
    what = visible.text((params.title:gsub("\n.*", " …")))
  end
  return (params.origin and subagents.name(params.origin) .. ": " or "") .. what
end

--- How long a question has waited, in words; nil when that is no time to speak of.
---@param since drawbridge.Time
---@return string?
function M.waited(since)
  local s = os.time() - math.floor(since / 1000)
  if since <= 0 or s < 60 then
    return nil
  elseif s < 3600 then
    return ("%d min"):format(s / 60)
  end
  return ("%d h %02d min"):format(s / 3600, s % 3600 / 60)
end

-- A word as it may be written in a command, so that two words are seen to be two. One
-- that is known only at run time is as it is written there.
---@param word string
---@param text string The command.
---@return string
local function quoted(word, text)
  local plain = word ~= "" and not word:find("[^%w@%%+=:,./_~*?$(){}%[%]`^-]")
  if plain or (word:find("[$`]") and text:find(word, 1, true)) then
    return word
  end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

---@param part drawbridge.CommandPart
---@param text string
---@return string
local function part_text(part, text)
  if #part.argv > 0 then
    return table.concat(
      vim.tbl_map(function(word)
        return quoted(word, text)
      end, part.argv),
      " "
    )
  end
  return text:sub(part.span.start + 1, part.span["end"])
end

-- Why it was judged so. What it is about stands before it and is not said twice.
---@param part drawbridge.CommandPart
---@return string
local function because(part)
  local why = part.why or ""
  if why == ("no rule covers `%s`"):format(table.concat(part.argv, " ")) then
    return ""
  end
  return why
end

--- The commands within a command, a line each: what the rules say of it, and why. One
--- alone that no rule covers is said by the question itself.
---@param q drawbridge.CommandQuestion
---@return { text: string, group: string }[]
function M.parts(q)
  local parts = q.parts or {}
  if #parts == 1 and parts[1].verdict == "ask" and because(parts[1]) == "" then
    return {}
  end
  return vim.tbl_map(function(part)
    local how = verdicts[part.verdict] or verdicts.ask
    local why = because(part)
    why = why ~= "" and "  (" .. why .. ")" or ""
    local text = ("%s %-5s  %s%s"):format(how.sign, part.verdict, part_text(part, q.text), why)
    return { text = visible.line((text:gsub("%s*\n%s*", " ⏎ "))), group = how.group }
  end, parts)
end

-- Where the parts stand in the text as it is shown, line by line.
---@param q drawbridge.CommandQuestion
---@return drawbridge.QuestionMark[]
local function spans(q)
  local marks, start = {}, 0
  for row, line in ipairs(vim.split(q.text, "\n", { plain = true })) do
    for _, part in ipairs(q.parts or {}) do
      local from = math.max(part.span.start - start, 0)
      local to = math.min(part.span["end"] - start, #line)
      if from < to then
        -- Cut where characters begin, a text is shown as the same part of the whole.
        local first, last = #visible.line(line:sub(1, from)), #visible.line(line:sub(1, to))
        local group = (verdicts[part.verdict] or verdicts.ask).group
        table.insert(marks, { row = row - 1, from = first, to = last, group = group })
      end
    end
    start = start + #line + 1
  end
  return marks
end

---@param page drawbridge.QuestionPage
---@param text string
---@param group? string
local function add(page, text, group)
  for _, line in ipairs(visible.lines(text)) do
    table.insert(page.lines, line)
    page.groups[#page.lines] = group
  end
end

--- What each longer yes would leave behind, to the letter.
---@param params drawbridge.ApprovalRequestParams
---@return string[]
function M.remembered(params)
  local rules, by = {}, {}
  for _, option in ipairs(params.options) do
    if option.kind == "allow" and option.rule and option.rule ~= "" and option.scope ~= "once" then
      if not by[option.rule] then
        by[option.rule] = {}
        table.insert(rules, option.rule)
      end
      table.insert(by[option.rule], M.scope(option.scope))
    end
  end
  return vim.tbl_map(function(rule)
    return ("a yes %s remembers: %s"):format(table.concat(by[rule], ", "), M.rule(rule))
  end, rules)
end

-- Who asks and since when.
---@param params drawbridge.ApprovalRequestParams
---@param page drawbridge.QuestionPage
local function circumstances(params, page)
  if params.origin then
    add(page, subagents.asks(params.origin), "DrawbridgeHint")
  end
  local waited = M.waited(params.since)
  if waited then
    add(page, "has waited for " .. waited, "DrawbridgeWaiting")
  end
end

--- What is shown beside the choice.
---@param params drawbridge.ApprovalRequestParams
---@return drawbridge.QuestionPage
function M.body(params)
  ---@type drawbridge.QuestionPage
  local page = { lines = {}, groups = {}, marks = {} }
  if params.command then
    add(page, params.command.text)
    page.syntax, page.last, page.marks = "sh", #page.lines, spans(params.command)
    add(page, "")
    for _, part in ipairs(M.parts(params.command)) do
      add(page, part.text, part.group)
    end
    add(page, "in " .. params.command.cwd)
    for _, fact in ipairs(running.facts(params.command)) do
      add(page, fact)
    end
    add(page, (params.reason:gsub("; unconfined$", "")))
  elseif params.change then
    add(page, (params.change.diff:gsub("\n$", "")))
    page.syntax = "diff"
    return page
  else
    add(page, params.title)
    if params.url and params.url ~= "" then
      add(page, "the address: " .. params.url, "DrawbridgeHint")
    end
    add(page, params.reason)
  end
  for _, line in ipairs(M.remembered(params)) do
    add(page, line, "DrawbridgeMuted")
  end
  circumstances(params, page)
  return page
end

--- All there is about a question: what beside the choice had no room, and how it came
--- to be asked.
---@param params drawbridge.ApprovalRequestParams
---@return drawbridge.QuestionPage
function M.whole(params)
  local page = M.body(params)
  page.last = page.last or #page.lines
  if params.change then
    add(page, "")
    add(page, params.reason)
    for _, line in ipairs(M.remembered(params)) do
      add(page, line, "DrawbridgeMuted")
    end
    circumstances(params, page)
  end
  if #params.derivation > 0 then
    add(page, "")
    add(page, "How it came to be asked:", "DrawbridgeHint")
    for i, check in ipairs(params.derivation) do
      add(page, ("%2d  %s"):format(i, (check:gsub("%s*\n%s*", " ⏎ "))))
    end
  end
  return page
end

return M
