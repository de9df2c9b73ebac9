"""Given names, surnames, and capitalised words that are neither."""

from __future__ import annotations

from typing import Final

GIVEN: Final = frozenset(
    """Aaron Abdul Abigail Adam Adrian Agnes Agnieszka Ahmad Ahmed Aisha Akira Alan Albert Alejandra Alejandro
    Alessandro Alex Alexander Alexandra Alexei Alfred Ali Alice Alicia Alison Allison Alvaro Amanda Amara Amelia
    Amina Amir Amit Amy Ana Anastasia Anders Andre Andrea Andreas Andrei Andrew Andy Angela Anil Anita Anja Anjali
    Ann Anna Anne Annette Annie Anthony Antoine Anton Antonio Anya Arjun Arnold Arthur Arturo Asha Ashley Astrid
    Audrey Ayesha Barbara Beatrice Beatriz Ben Benjamin Bernard Beth Betty Bilal Bjorn Bob Boris Brandon Brenda
    Brendan Brian Bridget Bruno Caitlin Camila Camille Carl Carla Carlos Carmen Carol Carolina Caroline Catherine
    Cecilia Chandra Charlene Charles Charlotte Chen Chloe Chris Christian Christina Christine Christopher Claire
    Clara Claudia Colin Connor Craig Cristina Cynthia Daisuke Daniel Daniela Danielle Darren David Deborah Deepak
    Denise Dennis Derek Diana Diane Diego Dieter Dimitri Dmitri Dominic Donald Donna Doris Dorothy Douglas Duncan
    Dylan Eduardo Edward Eileen Elaine Eleanor Elena Eli Elias Elizabeth Ella Ellen Emily Emma Emmanuel Enrique Eric
    Erica Erik Erin Ernest Esther Ethan Eugene Eva Evan Evelyn Fatima Felipe Felix Fernando Fiona Florian Francesca
    Francesco Francis Francisco Frank Franz Fred Frederick Gabriel Gabriela Gareth Gary Gemma Geoffrey George
    Georgina Gerald Gerard Gianni Gillian Giovanni Giulia Gloria Gordon Graham Greg Gregory Greta Guillermo Gustavo
    Hannah Hans Harold Harriet Harry Hassan Heather Hector Heidi Helen Helena Helga Henrik Henry Herbert Hiroshi
    Howard Hugh Hugo Hussein Ian Ibrahim Ida Ignacio Igor Imran Ines Ingrid Irene Irina Isaac Isabel Isabella Ivan
    Ivy Jack Jacob Jacqueline Jacques Jake Jakob James Jamie Jan Jane Janet Janice Jasmine Jason Javier Jean Jeff
    Jeffrey Jennifer Jenny Jeremy Jerome Jerry Jesse Jessica Jill Jim Jing Joan Joanna Joanne Joao Joaquin Joe Joel
    Johan Johanna Johannes John Johnny Jonas Jonathan Jorge Jose Joseph Josephine Joshua Joyce Juan Juana Judith
    Judy Julia Julian Juliana Julie Juliet Julio Jun Jurgen Justin Kamal Karen Karim Karl Karin Karina Kate
    Katarzyna Katherine Kathleen Kathryn Katie Keith Kelly Ken Kenji Kenneth Kerry Kevin Khalid Kim Kimberly Kirsten
    Klaus Krishna Kristen Kristina Krzysztof Kumar Kurt Kyle Lakshmi Lara Larry Lars Laura Lauren Laurence Lawrence
    Leah Lena Leo Leon Leonardo Leslie Liam Lin Linda Lisa Lorenzo Lorraine Louis Louise Luca Lucas Lucia Lucy Luigi
    Luis Luisa Lukas Luke Lydia Lynn Madeleine Magdalena Mahmoud Malcolm Manuel Marc Marcel Marcelo Marcin Marco
    Marcus Margaret Margarita Maria Mariam Marianne Marie Marina Mario Marion Marjorie Marta Martha Martin Martina
    Mary Masha Mateo Matteo Matthew Matthias Maurice Maya Megan Mehmet Mei Melanie Melissa Mercedes Michael Michal
    Micheal Michel Michelle Miguel Mikhail Milan Mina Miranda Miriam Mohamed Mohammad Mohammed Moira Molly Monica
    Monika Muhammad Mustafa Nadia Naomi Natalia Natalie Natasha Nathan Neil Nicholas Nicola Nicolas Nicole Nigel
    Nikhil Nikita Nikolai Nina Noah Nora Norman Nuria Oleg Olga Oliver Olivia Omar Oscar Otto Owen Pablo Pamela
    Paolo Patricia Patrick Paul Paula Pauline Pavel Pedro Peggy Peter Petra Philip Philippe Phillip Pierre Piotr
    Polly Priya Rachel Rafael Raj Rajesh Ralph Ramon Ramona Raul Ravi Raymond Rebecca Regina Reza Ricardo Richard
    Rita Robert Roberta Roberto Roger Rohan Roland Roman Ronald Rosa Rosemary Ross Roy Ruben Rupert Russell Ruth
    Ryan Sabine Sabrina Sally Salman Sam Samantha Samir Samuel Sandra Sanjay Sara Sarah Saskia Scott Sean Sebastian
    Serena Serge Sergei Sergio Shannon Sharon Sheila Shirley Silvia Simon Simone Sofia Sonia Sophia Sophie Stacey
    Stanley Stefan Stefania Stephanie Stephen Steve Steven Stuart Sunita Susan Susanna Susanne Suzanne Svetlana Sven
    Sylvia Takeshi Tamara Tanya Tara Tatiana Ted Teresa Terence Terry Thelma Theo Theodore Theresa Thomas Tim
    Timothy Tina Tobias Todd Tom Tomas Tomasz Tony Tracy Trevor Tristan Ulrich Ursula Valentina Valerie Vanessa
    Veronica Vera Vicky Victor Vijay Vikram Vincent Viktor Vladimir Walter Wanda Wayne Wei Wendy Werner Wilhelm
    William Winston Wolfgang Xavier Yasmin Yolanda Yuki Yuri Yusuf Yvonne Zachary Zahra Zainab Zara Zoe""".split()
)
"""Given names that are hardly ever anything else; Grace, Mark, Will, May, Jordan, Hope are left out on purpose."""

NOT_NAMES: Final = frozenset(
    """A An The This That These Those It He She We You They I My Your His Her Our Their And Or But If Not No Yes So To
    From For With In On At By Of As Is Are Was Be Do Does Did Please Thanks Thank Hello Hi Dear Sir Madam Team All
    Everyone Everybody Folks Guys Friend Friends Customer Client Hiring Manager Support Service Committee Editor
    Reader Readers Recruiter Professor Doctor Teacher Parents Students Student User Admin Administrator Assistant
    Human System Bot Agent Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May
    June July August September October November December American British English Canadian Australian Chinese
    Japanese German French Italian Spanish Indian Russian Korean Dutch Swedish Mexican Brazilian European African
    Asian Irish Scottish Welsh Polish Turkish Greek Muslim Christian Jewish Buddhist Catholic Python Java Linux
    Windows Google Apple Microsoft Amazon Facebook Visual Studio Code Docker GitHub Excel Word Chrome Street Avenue
    Road Lane River Lake Mountain Island Bridge Park Station Airport Hotel Hospital University College School Church
    Street City County State Valley Beach Bay Harbour Method Theorem Law Effect Number Numbers Series Transform
    Equation Distribution Algorithm Test Prize Award Day Era Age Company Inc Ltd Corp Group Bank Foundation
    Institute Project Museum Theatre Library Cup League Club Kong York Francisco Name Email Phone Address Date
    Subject Ref Re Fwd Note Order Invoice Item Total Price Size Type Title Status Error Version File Path Here There
    When Where What Why How Who Which Can Could Would Should Will Shall Have Has Had Just Also Now Then Very Really
    Still Only Even Too Best Kind Warm Regards Sincerely Cheers Love Yours Good Great Nice Sorry Happy Glad Sure
    Okay Ok Inquirer""".split()
)
BRANDS: Final = frozenset(
    """Pepper Clean Butterworth Pac-Man Bean Robot Muscle Potato Bricolage Martens Oetker Scholl Dre Seuss Who Strange
    Doom Evil House Frankenstein Jekyll Freud Hyde Holmes Watson""".split()
)
PUBLIC: Final = frozenset(
    name.replace("_", " ")
    for name in """
    albert_einstein isaac_newton charles_darwin marie_curie ada_lovelace alan_turing jane_austen charles_dickens
    leonardo_da_vinci nikola_tesla stephen_hawking donald_trump barack_obama joe_biden bill_gates steve_jobs
    elon_musk john_lennon paul_mccartney michael_jackson david_bowie harry_potter james_bond peter_pan robin_hood
    robert_frost karl_marx adam_smith john_locke immanuel_kant martin_luther martin_luther_king nelson_mandela
    abraham_lincoln george_washington thomas_jefferson benjamin_franklin henry_ford walt_disney anne_frank
    frank_sinatra taylor_swift agatha_christie george_orwell oscar_wilde emily_dickinson edgar_allan_poe
    stephen_king vincent_van_gogh pablo_picasso claude_monet ludwig_van_beethoven johann_sebastian_bach jack_daniel
    johnny_walker ben_franklin peter_rabbit alice_in christopher_nolan christopher_columbus noam_chomsky
    donald_knuth guido_van_rossum martin_fowler kent_beck robert_martin eric_evans ken_thompson dennis_ritchie
    grace_hopper tim_berners-lee daniel_kahneman carl_sagan richard_feynman charlie_chaplin george_lucas
    steven_spielberg quentin_tarantino jack_london joan_of""".split()
)
"""People everyone knows: naming them tells nothing about anyone in the conversation."""

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
