"""Chinese names: what they are made of, and which a conversation makes known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

COMPOUND: Final = frozenset(
    """欧阳 司马 上官 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 司徒 长孙 宇文 夏侯 轩辕 端木 南宫 独孤 申屠 百里 闻人 澹台
    呼延 拓跋""".split()
)
SURNAMES: Final = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔"
    "钟谭陆汪范金石廖贾夏韦傅方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢"
    "安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷曲盛冉翁骆蓝路"
    "游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全"
    "佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝"
)
GIVEN_ZH: Final = frozenset(
    "伟芳娜秀英敏静丽强磊军洋勇艳杰娟涛明超兰霞平刚桂文辉力斌玲建华国梅红志玉海燕波鹏宇飞凤琴荣云浩轩然梓一涵子萱"
    "雨佳怡思琪欣妍诗语嘉懿婷雪晨博俊豪天睿泽洁颖莉琳慧宁倩薇菲璐瑶璇蕾岚彤彬峰坤龙翔阳旭东冬春夏秋冰凯亮成康健林"
    "森山川江河湖源清泉松柏青竹菊莲荷蓉芸芬苓茜茹萍蓓蕊蔚翠珍珠琼瑾瑜瑞珊珂璋琦琛瑛玥玮珏晓晴昊昕晗景智昌昱晟曦月"
    "星辰朗朋福禄寿喜庆祥吉利丰富贵财顺达兴旺盛发宝贝栋梁材柱树楠桐榕枫梧彦卿君仁义礼信忠孝廉德贤良善诚正直毅恒坚"
    "韧铭钧鑫锋锐钰铎银铁钢锦绣绮丝美媛娇嫣妮婉娥婵娴姗姣妙姿娅媚仪悦愉怀忆恩惠慈慕念情爱心安定宏弘振邦民族立中全"
    "权威武震雷霆霖霏霜露雁鸿鹤鹰莺鸣鹭鸽麒麟骏骥驰骋腾跃奔远航帆舟洲泓泊浦渊深润滋淑漪潇湘滨汉沛沁沐汐淼灵焕炜烨"
    "煜炎灿烈煊熙照耀光启学问书章翰墨儒雅艺韵歌舞笑颜容可小大元亨贞乾巽坎离艮兑幼新永久世代祖宗孟仲叔季奇才雄虎豹"
    "彪熊晶莹亦如意迪凡帅廷延绍继承传家业勤俭芝芙茂芮苒茗萌菁蓝薛岩岳峻崇嵘巍巧巨程里群众梦想希望知尔奕弈允凝冠凌"
    "剑勋升卓南卫印原双友"
)
STOP_ZH: Final = frozenset(
    """高兴 方便 马上 白天 周末 常用 金额 余额 安全 高级 方法 程序 程度 方式 方向 方面 高中 高峰期 时间 时候 成功 成为
    成立 成绩 全国 全部 应用 明天 明年 明明 连接 单元 单位 解决 关于 关系 严重 文学 文件 文章 文字 文明 华为 和平
    马云 向量 温度 石油 黄金 黄河 白菜 白酒 牛奶 牛肉 江山 江苏 沈阳 安徽 安定 温州 贺州 唐山 康定 和田 平安 王者
    王子 王国 李子 于是 任务 任何 路由 管理 商品 商业 水平 费用 时代 时长 师傅 师生 房子 房东 童年 史书 武器 武汉
    苏州 杭州 常州 郑州 徐州 许多 万一 万元 万科 钱包 易懂 古代 古典 申请 印章 荣耀 包子 包含 包括 华北 华东 华南
    华中 云南 海南 夏天 秋天 冬天 春天 季节 孔子 孟子 老子 庄子 曹操 刘备 关羽 张飞 诸葛亮 孙权 周瑜 李白 杜甫 鲁迅
    苏轼 白居易 马克思 毛泽东 邓小平 习近平 马化腾 雷军 任正非 司马迁 曹雪芹 钱学森 莫言 余华 金庸 古龙 成龙 孙悟空
    武则天 秦始皇 李世民 朱元璋 康熙 乾隆 王阳明 高斯 牛顿 安卓 安装 查询 查看 解释 解析 章节 项目 简单 简历 向导
    向前 成员 成本 计算 阳光 阳台 花园 施工 温馨 温暖 冷静 毕业 包装 左右 强大 程明 高大 高考 高温 马路 马克 龙虎
    龙井 石头 雷达 江湖 田园 白云 白色 黄色 蓝天 蓝色 金色 金融 金星 明星 明白 和谐 宁静 安静 安心 安排 康复 荣誉
    成长 成熟 成家 任性 从容 常见 常识 常规""".split()
)
FOLLOW_ZH: Final = frozenset(
    "的地得是在和与跟同说问道去来回到从向对给把被让叫请有没不也都还就才又要想会能可将已曾刚正着了过吗呢吧啊呀嘛收"
    "寄投因为由所及或并但而且，。、；：！？“”‘’（）《》先女小老医教经总师家今昨明昵电手身住男性年岁工上下"
)
_HAN: Final = r"[\u4e00-\u9fff]"
_CUE: Final = re.compile(r"(?:我叫|名叫|叫做|叫|我是|姓名|同事|同学|朋友|客户|老板|联系人|负责人|和|跟|、)[:：是]?\s?")
_ALONE: Final = re.compile(rf"(?<!{_HAN}){_HAN}{{3}}(?!{_HAN})")
_SURNAME: Final = f"[{''.join(sorted(SURNAMES - {'和'}))}]"
_CALLED: Final = re.compile(
    rf"[老小阿]{_SURNAME}(?=$|[^\u4e00-\u9fff]|[{''.join(sorted(FOLLOW_ZH))}])"
    rf"|{_SURNAME}(?:总|姐|哥|叔|姨|老师|医生|大夫|会计|经理|律师|教授|主任|店长|师傅|先生|女士)"
    rf"|(?<!{_HAN})[^\W大小表堂师学空帅美][姐哥叔姨](?!{_HAN})"
)
_NOT_CALLED: Final = frozenset(
    "老师 小时 小白 小米 小明 小于 小车 小单 小包 小路 老路 老家 老年 小龙 老公 小方".split()
)


def chinese_names(texts: Iterable[str]) -> set[str]:
    """People as they are written: full names behind a cue or between marks (and then their given names alone),
    老 or 小 and a surname, a surname and a title.

    Nicknames without a form, places and companies are not found: nothing but a dictionary would tell them.
    """
    found: set[str] = set()
    for text in texts:
        found.update(_full(text))
        found.update(m[0] for m in _CALLED.finditer(text) if m[0] not in _NOT_CALLED)
    return found | {name[1:] for name in found if len(name) == 3 and is_name(name)}


def _full(text: str) -> Iterator[str]:
    for match in _ALONE.finditer(text):
        if is_name(match[0]) and match[0][0] != "和":
            yield match[0]
    for match in _CUE.finditer(text):
        end = name_at(text, match.end(), strict=True)
        if end - match.end() > 2:
            yield text[match.end() : end]


def name_at(text: str, at: int, strict: bool) -> int:
    """Where a name that starts at ``at`` ends, or 0.

    Without a dictionary the end is a guess: the longer reading is taken where both characters occur in names and what
    follows is no part of one. ``strict``: each character must occur in names, however clear the end.
    """
    base = 2 if text[at : at + 2] in COMPOUND else 1 if text[at : at + 1] in SURNAMES and text[at : at + 1] else 0
    if not base:
        return 0
    for length in (base + 2, base + 1):
        name, after = text[at : at + length], text[at + length : at + length + 1]
        if len(name) < length or not all(map(_is_han, name)) or name in STOP_ZH or name[:2] in STOP_ZH:
            continue
        given = all(sign in GIVEN_ZH for sign in name[base:])
        ends = not _is_han(after)
        if (given and (ends or after in FOLLOW_ZH or length == base + 2)) or (ends and not strict):
            return at + length
    return 0


def is_name(name: str) -> bool:
    """A surname and one or two characters that given names are made of."""
    base = 2 if name[:2] in COMPOUND else 1
    given = name[base:]
    return (
        (base == 2 or name[0] in SURNAMES)
        and 1 <= len(given) <= 2
        and all(sign in GIVEN_ZH for sign in given)
        and name not in STOP_ZH
        and name[:2] not in STOP_ZH
    )


def _is_han(sign: str) -> bool:
    return "\u4e00" <= sign <= "\u9fff"
