"""Places and organisations that everyone knows, and the words that end the names of others."""

from __future__ import annotations

from typing import Final

PLACES: Final = frozenset(
    name.replace("_", " ")
    for name in """
    Afghanistan Africa Albania Algeria America Antarctica Argentina Armenia Asia Australia Austria Azerbaijan
    Bahrain Bangladesh Belarus Belgium Bolivia Bosnia Botswana Brazil Britain Bulgaria Cambodia Cameroon Canada
    Chile China Colombia Costa_Rica Croatia Cuba Cyprus Czechia Denmark Dominican_Republic Dubai Ecuador Egypt
    England Estonia Ethiopia Europe Finland France Georgia Germany Ghana Greece Greenland Guatemala Haiti
    Honduras Hungary Iceland India Indonesia Iran Iraq Ireland Israel Italy Jamaica Japan Jordan Kazakhstan
    Kenya Korea South_Korea North_Korea Kuwait Laos Latvia Lebanon Libya Lithuania Luxembourg Madagascar
    Malaysia Maldives Malta Mexico Moldova Monaco Mongolia Montenegro Morocco Mozambique Myanmar Namibia Nepal
    Netherlands New_Zealand Nicaragua Nigeria Norway Oman Pakistan Panama Paraguay Peru Philippines Poland
    Portugal Qatar Romania Russia Rwanda Saudi_Arabia Scotland Senegal Serbia Singapore Slovakia Slovenia
    Somalia South_Africa Spain Sri_Lanka Sudan Sweden Switzerland Syria Taiwan Tanzania Thailand Tunisia Türkiye
    Uganda Ukraine United_Kingdom United_States Uruguay Uzbekistan Venezuela Vietnam Wales Yemen Zambia Zimbabwe
    UK USA US UAE EU NYC Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Hawaii
    Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts Michigan Minnesota
    Mississippi Missouri Montana Nebraska Nevada New_Hampshire New_Jersey New_Mexico New_York North_Carolina
    North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island South_Carolina South_Dakota Tennessee Texas Utah
    Vermont Virginia Wisconsin Wyoming Ontario Quebec British_Columbia Alberta Bavaria Catalonia Tuscany
    Provence Normandy Sicily Andalusia Scandinavia Bali Crete Aberdeen Abu_Dhabi Accra Addis_Ababa Adelaide
    Amsterdam Ankara Antwerp Athens Atlanta Auckland Austin Baghdad Baltimore Bangalore Bangkok Barcelona Basel
    Beijing Beirut Belfast Belgrade Berlin Bern Bilbao Birmingham Bogotá Bologna Bordeaux Boston Bratislava
    Bremen Brisbane Bristol Brno Brussels Bucharest Budapest Buenos_Aires Cairo Calgary Cambridge Canberra
    Cape_Town Cardiff Casablanca Chengdu Chennai Chicago Cincinnati Cleveland Cologne Copenhagen Cork Dallas
    Damascus Delhi Denver Detroit Dresden Dublin Dubrovnik Dundee Düsseldorf Edinburgh Eindhoven Florence
    Frankfurt Galway Geneva Genoa Ghent Glasgow Gothenburg Graz Guangzhou Hague Hamburg Hangzhou Hanoi Havana
    Helsinki Hong_Kong Honolulu Houston Innsbruck Inverness Istanbul Jakarta Jerusalem Johannesburg Kathmandu
    Kiev Kobe Kolkata Kraków Kuala_Lumpur Kyiv Kyoto Lagos Lahore Las_Vegas Lausanne Leeds Leiden Leipzig Lima
    Lisbon Liverpool Ljubljana London Los_Angeles Lucerne Lyon Macau Madrid Malmö Manchester Manila Marrakech
    Marseille Melbourne Memphis Miami Milan Milwaukee Minneapolis Montreal Moscow Mumbai Munich Nairobi Nanjing
    Naples Nashville New_Delhi New_Orleans Nuremberg Oakland Osaka Oslo Ottawa Oxford Palermo Paris Perth
    Philadelphia Phoenix Pisa Pittsburgh Porto Portland Prague Quito Rabat Reykjavik Riga Rio_de_Janeiro Rome
    Rotterdam Sacramento Salzburg San_Antonio San_Diego San_Francisco San_Jose Santiago Sapporo Sarajevo Seattle
    Seoul Seville Shanghai Sheffield Shenzhen Stockholm Stuttgart Suzhou Sydney São_Paulo Taipei Tallinn Tampa
    Tbilisi Tehran Tel_Aviv Tokyo Toronto Toulouse Tromsø Trondheim Turin Utrecht Valencia Vancouver Venice
    Verona Vienna Vilnius Warsaw Washington Wellington Winnipeg Wuhan Xiamen Xi'an Yokohama York Zagreb Zürich
    Zurich
    """.split()
)
PLACE_ENDS: Final = frozenset(
    """Street St Road Rd Avenue Ave Place Lane Square Terrace Drive Crescent Court Park Garden Gardens Lake
    Loch River Beach Bay Island Islands Mountain Mountains Mount Valley Canyon Forest Falls Bridge Harbour
    Harbor Port Station Airport Castle Cathedral Church Tower Plaza Village City Town County Desert Coast
    Hills Hill Trail Sea Ocean Cove""".split()
)
PLACE_STARTS: Final = frozenset("Lake Loch Mount Mt Fort Cape Port Camp San Santa Los Las El Saint".split())
ORGANISATIONS: Final = frozenset(
    name.replace("_", " ")
    for name in """
    Adobe Airbnb Alibaba Amazon AMD Anthropic Apple ASOS AWS BBC BMW Bosch Booking ByteDance CNN Costco Deloitte
    DHL Disney DoorDash Door_Dash eBay Etsy Expedia Facebook FedEx Gartner GitHub GitLab Google Heroku Honda
    Huawei IBM IKEA Instagram Intel JetBrains KLM LinkedIn Lufthansa Meta Microsoft Mozilla NASA Netflix Nike
    Nintendo NHS NVIDIA OpenAI Oracle PayPal Pfizer Reddit Ryanair Samsung SAP Salesforce Shopify Slack Sony
    SpaceX Spotify Starbucks Stripe Target Tencent Tesla TikTok Toyota Twitter Uber UNESCO UNICEF Vercel Visa
    Vodafone Walmart WHO Xiaomi Yahoo YouTube Zillow Zoom
    """.split()
)
ORGANISATION_ENDS: Final = frozenset(
    """Inc Ltd LLC LLP PLC GmbH AG SA Corp Corporation Company Co Group Holdings Bank Insurance University
    College School Institute Academy Council Committee Agency Authority Association Foundation Society Union
    Ministry Department Hospital Clinic Pharmacy Museum Gallery Studio Studios Interiors Partners Labs
    Systems Solutions Services Airlines Airways Hotel Hostel Restaurant Cafe Café Bakery Store Shop Club
    Team Library Theatre Theater Press Media Ventures Capital Sons Daughter Daughters""".split()
)
MORE_GIVEN: Final = frozenset(
    """Abbie Abby Ada Adele Aidan Aiden Aileen Ailsa Alasdair Albie Aled Alexis Alfie Alina Alisha Alistair
    Alma Alyssa Amelie Ananya Angus Anika Anisha Annika Ansel Aoife Archie Ariana Ariel Arlo Arne Asher
    Astrid Aubrey Ava Avery Axel Ayaan Bailey Bella Benny Bernadette Bernice Bertie Bianca Billie Blake
    Blanca Bogdan Bonnie Bradley Brady Bree Brett Brianna Brigitte Brody Bruce Bryan Bryce Caleb Callan
    Calum Cameron Camilla Candice Cara Carina Carlo Carlotta Caron Casey Casper Cassandra Cathy Cedric
    Celeste Celia Celine Chantal Cheryl Chiara Ciara Clarissa Cleo Clive Cody Colette Conor Cora Corey
    Cornelia Cristian Curtis Cyril Damian Damien Dana Daphne Dario Darius Darryl Davide Debbie Delia Della
    Demi Desmond Devon Dexter Dina Dion Dirk Dolores Dominik Dora Doreen Doug Duane Dustin Dwayne Edgar
    Edith Edmund Edna Edwin Effie Eileen Eleni Eliana Elin Elise Eliza Elliot Elliott Eloise Elsa Elsie Emil
    Emilia Emilie Emilio Emmett Enzo Erin Ernesto Esme Estelle Ester Euan Eva Evie Ewan Ezra Fabian Fabio
    Farah Fergus Finlay Finley Finn Flavia Flora Flynn Frances Franco Freddie Freya Frida Fritz Gail Gavin
    Genevieve Gerry Gina Giorgio Gisela Giuseppe Glenn Glenda Gracie Gretchen Guadalupe Gwen Hamish Hana
    Hank Hanna Harriet Harvey Hattie Hector Hilary Hilda Hugo Iain Igor Ilse Imani Imogen Ingrid Iona Irina
    Irma Irving Isabelle Isha Isla Ismail Issac Jackie Jada Jaden Jaime Janine Jared Jarrod Jasper Jaya
    Jayden Jeanette Jeanne Jenna Jerome Jess Jessie Joanie Jocelyn Jodie Joel Joey Johann Jolene Jon Jonah
    Jonas Josef Josh Josie Josue Judith Jules Juliette Kai Kaitlyn Kara Kasia Kathy Katja Katrin Katrina
    Katya Kayla Keira Keiko Kelsey Kelvin Kendra Kenny Kira Kristian Kristin Kristof Kurt Kyra Lana Lars
    Latoya Laurie Lea Leanne Leila Lennart Leona Leonie Leroy Leticia Lewis Lexi Lia Lila Lilian Lillian
    Lily Linus Lionel Liz Lloyd Logan Lois Lola Loretta Lottie Louisa Luciana Luciano Lukas Lyle Lyndon
    Mabel Mackenzie Maddie Maggie Magnus Maia Maisie Malik Mallory Mandy Manon Mara Marcia Margot Mariana
    Marika Marisa Marisol Marlene Marlon Marta Marvin Mateusz Mathilda Matilda Matt Mattias Maureen Mauricio
    Mavis Maxine Maxwell Melinda Mia Mick Mickey Mike Mila Mildred Milena Millie Milo Mimi Mindy Minnie
    Mitchell Moira Morag Morgan Morten Moses Muriel Myles Myra Myrtle Nadine Nancy Naomi Nasir Nate Ned Nell
    Nellie Nelly Nestor Niamh Nick Nicky Nico Niels Nils Noel Noelle Noemi Nolan Nora Norbert Norma Odette
    Oksana Olaf Ollie Orla Orlando Oswald Paige Paloma Pam Patsy Patty Pauline Penelope Perry Pete Phil
    Phoebe Phyllis Pippa Priti Priyanka Quentin Quinn Rachael Radka Ralf Randall Randy Ranjit Raphael Raquel
    Rashid Rasmus Raya Reece Reggie Reginald Renata Rene Renee Rhea Rhys Rick Ricky Riley Roberto Robbie
    Robin Robyn Rocco Roderick Rodney Rodrigo Rodolfo Roisin Rolf Ron Ronan Ronnie Rory Rosalie Rosalind
    Rosanna Rosie Roxanne Rowan Rudolf Rudy Rufus Saanvi Sadie Salma Salvador Samira Sanjana Santino Sascha
    Saul Savannah Scarlett Selena Selma Seth Shana Shane Shauna Shawn Shelley Sherry Shona Sian Sidney
    Sienna Sigrid Simona Simone Sinead Sonja Sophia Spencer Stacy Stella Stephan Stewart Susie Suzie Sybil
    Tamsin Tania Tariq Tasha Tatum Tess Tessa Thea Theresa Thierry Tilly Timo Titus Toby Toni Tracey Tricia
    Trish Trudy Tyler Tyrone Ulrike Uma Vaughn Vera Vernon Vince Vivian Vivienne Warren Wayne Wes Wesley
    Wilfred Wilma Yana Yara Yasmine Yosef Yvette Yvonne Zack Zadie Zane Zara Zelda Zdenka Zeynep Zoey Zofia""".split()
)
"""Given names beside those that redaction is sure of."""
PLACES_ZH: Final = frozenset(
    """中国 美国 英国 法国 德国 日本 韩国 朝鲜 俄罗斯 意大利 西班牙 葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 芬兰
    丹麦 冰岛 奥地利 波兰 捷克 匈牙利 希腊 土耳其 埃及 南非 肯尼亚 摩洛哥 印度 印尼 泰国 越南 老挝 柬埔寨
    缅甸 马来西亚 新加坡 菲律宾 澳大利亚 澳洲 新西兰 加拿大 墨西哥 巴西 阿根廷 智利 秘鲁 古巴 以色列 伊朗
    伊拉克 沙特 阿联酋 迪拜 蒙古 尼泊尔 斯里兰卡 马尔代夫 欧洲 亚洲 非洲 美洲 北京 上海 天津 重庆 河北 山西
    辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 四川 贵州 云南 陕西 甘肃 青海
    台湾 内蒙古 广西 西藏 宁夏 新疆 香港 澳门 石家庄 太原 沈阳 大连 长春 哈尔滨 南京 苏州 无锡 常州 南通
    扬州 徐州 杭州 宁波 温州 嘉兴 绍兴 金华 合肥 福州 厦门 泉州 南昌 景德镇 济南 青岛 烟台 郑州 洛阳 开封
    武汉 宜昌 长沙 张家界 广州 深圳 珠海 东莞 佛山 汕头 南宁 桂林 海口 三亚 成都 乐山 都江堰 贵阳 遵义 昆明
    大理 丽江 香格里拉 西双版纳 拉萨 西安 咸阳 延安 兰州 敦煌 西宁 银川 乌鲁木齐 呼和浩特 台北 高雄 东京
    大阪 京都 奈良 神户 札幌 北海道 冲绳 首尔 釜山 曼谷 清迈 普吉 河内 巴厘岛 吉隆坡 伦敦 巴黎 柏林 慕尼黑
    罗马 米兰 威尼斯 佛罗伦萨 马德里 巴塞罗那 里斯本 阿姆斯特丹 布鲁塞尔 维也纳 布拉格 布达佩斯 莫斯科 纽约
    洛杉矶 旧金山 西雅图 波士顿 芝加哥 温哥华 多伦多 悉尼 墨尔本 奥克兰""".split()
)
PLACE_ENDS_ZH: Final = tuple(
    """广场 公园 大厦 花园 小区 机场 火车站 高铁站 地铁站 车站 大街 胡同 古镇 景区 寺 湖 省 市 区 县 镇 村
    路 街 巷 桥 山 岛""".split()
)
ORGANISATION_ENDS_ZH: Final = tuple(
    """有限公司 公司 集团 银行 医院 诊所 大学 学院 中学 小学 幼儿园 研究院 研究所 事务所 工作室 委员会 法院
    派出所 出版社 酒店 宾馆 民宿 餐厅 饭店 饭馆 火锅店 咖啡馆 书店 药店 药房 超市 宠物店 分店 总店 店 俱乐部
    协会 基金会 博物馆 美术馆 图书馆 健身房""".split()
)
ORGANISATIONS_ZH: Final = frozenset(
    """阿里巴巴 阿里云 腾讯云 腾讯 华为云 华为 字节跳动 百度 京东 美团 滴滴 网易 淘宝 天猫 拼多多 携程 飞猪
    知乎 抖音 快手 小红书 哔哩哔哩 支付宝 顺丰 中通 圆通 海底捞 星巴克 麦当劳 肯德基 宜家 七牛 苹果公司 谷歌
    微软 亚马逊 特斯拉 比亚迪 国务院 教育部 卫健委 工信部 税务局 市监局 公安局 社保局 工商银行 建设银行
    农业银行 中国银行 招商银行 交通银行 北京大学 清华大学 复旦大学 浙江大学 协和医院 华西医院""".split()
)
NO_AREAS_ZH: Final = frozenset(
    """城市 超市 股市 门市 上市 夜市 市区 社区 地区 小区 校区 园区 时区 分区 片区 景区 郊区 城区 县城 农村
    思路 电路 线路 套路 道路 马路 公路 铁路 路由 出路 门路 走路 网路 逛街 大街 步行街 火山 爬山 登山 下山
    上山 海岛 半岛 孤岛 大桥 搭桥 公园 花园 广场 机场 车站 公司 集团 银行 医院 大学 学院 中学 小学 酒店 宾馆
    民宿 餐厅 饭店 饭馆 超市 书店 药店 药房 网店 开店 进店 到店 门店 分店 总店 本店 小店 商店 全省 节省 外省
    本市 全市 全区 本区 诊所 协会 大厦""".split()
)
"""Words that end so and name nothing."""
