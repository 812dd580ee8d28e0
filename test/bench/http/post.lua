-- Posts one message again and again, each time with another id.
--
--   wrk … -s post.lua URL -- 'BODY WITH #ID#' 'name: value' …

local before, after, fields
local id = 0

function init(args)
  local body = args[1]
  local from, to = string.find(body, "#ID#", 1, true)
  before, after = string.sub(body, 1, from - 1), string.sub(body, to + 1)
  fields = { ["content-type"] = "application/json", ["accept"] = "application/json, text/event-stream" }
  for index = 2, #args do
    local name, value = string.match(args[index], "^([^:]+): (.*)$")
    fields[name] = value
  end
end

function request()
  id = id + 1
  return wrk.format("POST", nil, fields, before .. id .. after)
end
