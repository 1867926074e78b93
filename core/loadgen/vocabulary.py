"""What made-up prompts are put together from: short, common words, phrases and lines. All written for this project."""

from core.workload import Language

_TEXT = """
time year people way day man thing woman life child world school state family student group country problem
hand part place case week company system program question work government number night point home water room
mother area money story fact month lot right study book eye job word business issue side kind head house
service friend father power hour game line end member law car city community name president team minute idea
body information back parent face others level office door health person art war history party result change
morning reason research girl guy moment air teacher force education foot boy age policy process music market
sense nation plan college interest death experience effect use class control field development role effort
rate heart drug show leader light voice wife police mind price report decision son view relationship town road
arm difference value building action model season society tax director position player record paper space
ground form event official matter center couple site project activity star table need court oil situation cost
industry figure street image phone data picture practice piece land product doctor wall patient worker news
test movie north love support technology step baby computer type attention film tree source hair window
culture chance brother energy period course summer plant opportunity term letter choice rule south husband
population medicine material fire army camera bed chair blood glass bank ball skin card river mountain island
train bird horse stone bridge garden winter spring kitchen dinner coffee sugar salt bread
"""
WORDS = tuple(_TEXT.split())

_PHRASES = """
今天天气很好 我们一起去公园 他正在看一本书 这个问题很重要 请再说一遍 火车九点到站
她喜欢喝绿茶 学校在河的旁边 明天可能会下雨 我的手机没有电了 老师讲得很清楚 市场里人很多
这条路通向海边 他们昨天才搬来 会议改到下午三点 数据已经保存好了 请检查你的地址 机器运行得很稳定
价格比去年低一些 医生建议多休息 窗外有一棵大树 孩子们在院子里玩 新的办法更简单 我忘了带钥匙
这张照片很旧 电影晚上八点开始 城市的灯都亮了 他用了两个小时 结果和预期一样 请把门关上
这份报告写得不错 厨房里有热汤 我们需要更多时间 桥上的风很大 她在银行工作 第一步是打开文件
冬天的早晨很冷 作者没有说明原因 仓库里还有十箱 他的中文说得很好 服务器每天重启一次 这家饭馆很有名
请用一句话回答 船在中午离开港口 我更喜欢安静的地方 图书馆周一不开门 计划还没有决定 雨停了就出发
母亲做了米饭 那座山看起来很近 钟表慢了五分钟 新同事来自北方 花园里种着玫瑰 请填写这张表格
声音从楼上传来 他总是走路上班 温度下降得很快 这个词有三个意思 我们在路口见面 桌子上放着两杯水
"""
PHRASES = tuple(f"{phrase}。" for phrase in _PHRASES.split())

_LINES = """
def total(prices):
    return sum(price for price in prices)
for row in table.rows:
    print(row.name, row.value)
if count > limit:
    raise ValueError(count)
with open(path) as file:
    lines = file.readlines()
names = sorted(set(names))
const root = document.body;
let index = items.length - 1;
while (left < right) {
    left += 1;
}
return { status: 200, body };
class Point:
    x: float = 0.0
    y: float = 0.0
SELECT name FROM users WHERE id = 7;
import json
config = json.loads(text)
assert config["version"] == 2
try:
    value = cache[key]
except KeyError:
    value = None
fn main() {
    let total = a + b;
    println!("{}", total);
func Add(a int, b int) int {
    return a + b
async def fetch(url):
    reply = await client.get(url)
window.addEventListener("load", start);
matrix[i][j] = matrix[j][i];
result.push(queue.shift());
export default function App() {
# the last element stays where it is
// nothing to do here
ALTER TABLE orders ADD COLUMN paid BOOLEAN;
logger.info("done in %s s", seconds)
echo "$HOME/bin" >> paths.txt
"""
# Not indented: a tokenizer joins a line's end with the blanks that begin the next, and lengths would not add up.
LINES = tuple(f"{line.strip()}\n" for line in _LINES.strip().split("\n"))

SENTENCE = 8  # English words of a mixed text that stand together
CHARACTERS_A_TOKEN = 3  # of code, where nobody has counted it


def guessed(language: Language) -> list[tuple[str, int]]:
    """Texts to append one after the other, with a guess at each one's tokens where no tokenizer says it.

    An English word counts as one, a Chinese phrase as its characters, a line of code as a third of its characters. A
    mixed text is all lines, so that no word grows onto the next text.
    """
    if language == "english":
        return [(f" {word}", 1) for word in WORDS]
    chinese = [(phrase, len(phrase)) for phrase in PHRASES]
    code = [(line, max(1, round(len(line) / CHARACTERS_A_TOKEN))) for line in LINES]
    if language == "mixed":
        sentences = [" ".join(WORDS[at : at + SENTENCE]) + ".\n" for at in range(0, len(WORDS), SENTENCE)]
        return [
            *((sentence, SENTENCE + 2) for sentence in sentences),
            *((f"{one}\n", n + 1) for one, n in chinese),
            *code,
        ]
    return chinese if language == "chinese" else code
