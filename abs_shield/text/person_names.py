"""First names of people that have no other meaning, and things named after people."""

from __future__ import annotations

import re

# Omitted on purpose: names that are words (Grace, Mark, Will), months (April), places (Sydney,
# Charlotte, Diego), products and programming languages (Alexa, Claude, Julia), and nicknames that
# are not contained in the full name (Bob, Jim), since an agent may use either.
_NAMES = (
    # English, Irish, Scottish, Welsh
    "aaron abigail adam adrian agnes aidan aileen alan albert alec alexander alexandra "
    "alfred alison allison alyssa amanda amy andrea andrew angela anita anna annabelle "
    "anne annette anthony archibald arnold arthur aubrey audrey barbara barnaby barry "
    "beatrice beatrix benjamin bernadette bernard bertha bethany brandon brenda brendan "
    "brent brian bridget brittany bronwyn bruce bryan byron caitlin caleb cameron camilla "
    "carl carla caroline carolyn cassandra catherine cathleen cecil cecilia cedric chloe "
    "christina christine christopher cindy claire clarence clarissa claudia clifford clive "
    "clyde colin colleen connor cordelia corey cornelius courtney craig curtis cynthia "
    "damian daniel danielle daphne darius darlene darren daryl david deborah deirdre delilah "
    "denise dennis derek desmond diana diane dominic donald donna dora doreen dorian doris "
    "dorothy douglas duncan dustin dwayne dylan edgar edith edmund edward edwin eileen "
    "elaine eleanor elias elijah elinor elisabeth elizabeth ellen elliot elliott eloise "
    "elsie emily emma enid eric erin ernest ethan ethel eunice evan evelyn ewan fergus fiona "
    "frances francine francis franklin frederick freya gabriel gabriella gareth gary gavin "
    "genevieve geoffrey george gerald geraldine gerard gillian gladys glenda glenn "
    "gloria gordon gregory greta gretchen gwendolyn gwyneth hannah harold harriet harriett "
    "harvey heidi helen henrietta henry herbert hilary hilda horace howard hubert "
    "hugh humphrey ian imogen ingrid irene isaac isabel isabella isabelle ivan ivor jacob "
    "jacqueline jamal james jamie jane janet janice jared jason jayden jeffrey jenna "
    "jennifer jenny jeremy jermaine jerome jessica jillian joan joanna joanne jocelyn jodie "
    "joel johanna john jonah jonathan joseph josephine joshua josiah juanita judith judy "
    "julian juliana julianne julie juliet julius justin kaitlyn karen karl katherine "
    "kathleen kathryn katrina kayla keith kelly kenneth kevin kieran kimberly kirsten "
    "kirsty kyle lachlan lana larry laura lauren laurence lawrence leah leanne leila lena "
    "leonard leroy leslie lewis liam lillian linda lindsay lindsey lionel lisa lois lorenzo "
    "loretta lorna louisa louise lucas lucille lucinda lucy luke lydia lynette mackenzie "
    "madeleine madeline maeve malcolm marcia marcus margaret marian marianne marie marilyn "
    "marion marissa marjorie marlene marsha martha martin marvin mary mathew matilda matthew "
    "maureen maurice megan melanie melinda melissa melvin meredith mia michael michaela "
    "michele michelle mildred millicent miranda miriam mitchell mohammed moira monica "
    "monique morris murray myra nadia nadine naomi natalie natasha nathan nathaniel neil "
    "neville niamh nicholas nicola nicole nigel nina noah nora nuala oliver olivia "
    "oswald owen pamela patricia patrick paul paula pauline percy peter philip philippa "
    "phillip phoebe phyllis priscilla quentin quincy rachael rachel ralph ramona randall "
    "randolph raymond rebecca reginald rhiannon rhoda rhonda rhys richard robert roberta "
    "roderick rodney roland ronald ronan rory rosalie rosalind rosanne roxanne rupert ryan "
    "sabrina samantha samuel sandra saoirse sara sarah scarlett sean sebastian selina serena "
    "shane sharon shaun sheila sheldon shelley shirley simon sinead siobhan sonia sophia "
    "sophie stacey stephanie stephen steven stewart stuart susan susanna susannah suzanne "
    "sybil sylvia tabitha tamara tanya tara terence teresa terrence thaddeus thelma theodore "
    "theresa thomas timothy tobias tracey tracy trevor tristan tyrone ursula valerie vanessa "
    "verity vernon veronica vicky vincent violetta virgil vivian vivienne wallace walter "
    "wanda warren wayne wesley wilfred wilhelmina william winifred winston yolanda yvette "
    "yvonne zachary zoe "
    # French, Italian, Spanish, Portuguese
    "adelaida adele adriana agostino agustin alain alberto alejandra alejandro alessandra "
    "alessandro alessia alexandre alfonso alfredo alicia aline alma alonso alvaro amadeo "
    "amalia amelie ana anabel anais andre andres anselmo antoine antonella antonio ariadna "
    "arianna armand armando arnaud arturo aurelia aurelie aurelio aurore baptiste bastien "
    "beatriz benedetta benedicte benito benoit bernardo bianca brigitte bruna bruno camille "
    "capucine carlos carlota carmela catalina catarina caterina celia cesar chiara "
    "christelle christophe clarisse claudine claudio clotilde colette corentin corinne "
    "cosimo cristian cristiano cristina cristobal damien daniela daniele dario davide "
    "delphine didier dolores domenico dominique donatella duarte edmond edoardo eduardo "
    "elena eleonora elisa eliseo elodie elvira emanuele emiliano emilie emilio "
    "emmanuel emmanuelle enrico enrique enzo ernesto esteban estela estelle etienne eugenia "
    "eugenio eulalia eusebio eva evaristo fabian fabien fabio fabiola fabrice fabrizio "
    "fatima federica federico felicia felipe ferdinando fernanda fernando filipa filippo "
    "fiorella flavia flavio florent francesca francesco francisca francisco francois "
    "francoise frederic gabriela gabriele gaelle gaetano gaspard gaston genoveva geoffroy "
    "georges georgina gerardo germain giacomo gianluca gianna gilberto gilles gino giorgia "
    "giorgio giovanna giovanni giulia giuliana giuliano giulio giuseppe gonzalo graciela "
    "gregoire gregorio guido guilherme guillaume guillermo gustavo hector heloise hernan "
    "herve hortense humberto ignacio ilaria ines inigo irma isabela isidoro isidro itziar "
    "jacinta jacinto jacopo jacques jaime javier jeanne jimena joana joao joaquim joaquin "
    "jorge jose josefa josefina juan julien juliette justine laetitia laure laurent laurie "
    "leandro leocadia leonie leonor leopoldo leticia lorena lourenco luca luciana luciano "
    "lucie lucien lucrezia ludovic ludovica luigi luis luisa luiz macarena madalena "
    "maddalena magali manon manuel manuela marcel marcela marcello marcelo marco marcos "
    "margarida margarita margaux margherita maria mariana mariano maribel marisa marisol "
    "marta martina martine martino massimo mateo mathieu mathilde matias matteo mauricio "
    "maurizio maxime maximo melchor micaela michel miguel mireille mirella morgane murielle "
    "nathalie nicanor nicolas nicolo noelia noemi norberto nuria octavio odette olivier "
    "ombline orlanda osvaldo pablo paloma paola paolo pascale patrice patricio paulina paulo "
    "pedro perla philippe pierre pietro rafael raffaele raimundo ramiro ramon raphael raquel "
    "raul regine remi renata renato renaud ricardo riccardo rigoberto roberto rocco rodolfo "
    "rodrigo rodrigue rogerio romain romina romualdo rosalia roxana ruben rufino salvatore "
    "sandrine severine silvana silvia silvio simona simone sofia solange stefania stefano "
    "sylvain sylvie telmo thiago thibault thierry tiago tomas tommaso ulises umberto "
    "valentin valentina valerio vicente vincenzo virginie vittoria vittorio viviana xavier "
    "ximena yago yann yannick yasmina yves "
    # German, Dutch, Nordic
    "adelheid albrecht andreas anja anneke anneliese annika anouk ansgar arne asbjorn astrid "
    "axel bernd bernhard birgit birgitta bjorn bodil brechtje britta carsten christoph "
    "clemens cornelia dagmar detlef dieter dietmar dietrich dirk dominik dorothea eberhard "
    "edeltraud edvard eike einar eirik elfriede elke elsa emil erik erika erwin esben eskil "
    "eugen evert fabienne falk femke fenna ferdinand finn florian folke franz franziska "
    "frauke frederik freja frida frieda friedrich fritz gerda gerhard gertrud gisela greetje "
    "gudrun gunhild gunnar gunter gustav haakon halvard hanne hanneke hannelore hans "
    "hansjorg harald hedwig heike heiko heiner heinrich heinz helga helge hella helmut "
    "hendrik henning henrik hermann hilde hildegard holger horst hubertus ilse imke inga "
    "inge ingeborg ingmar ingo ingolf ingvild irmgard isolde jannik jelle jens jeroen jesper "
    "joachim jochen johan johann johannes joost joren jorgen jorn jost jurgen jutta kaj karin "
    "karina karsten katarina katharina kathrin katja kerstin kjell klaas klara klaus knut "
    "konrad kristian kristin kristina kurt lars lasse leif lennart leopold liesbeth "
    "lieselotte linnea liselotte lorenz lothar lovisa ludger ludwig luise lukas maarten "
    "magdalena magnus malte manfred mareike margarethe margit marieke markus marleen marlies "
    "mathias mathilda matthias maximilian mechthild meike merle mette michiel mikael mikkel "
    "mirjam monika morten nanna niels niklas nils norbert olaf oskar ottilie pernille pieter "
    "quirin ragnar ragnhild rainer ralf reinhard reinhold renate roelof rolf roswitha "
    "rudiger rudolf runar rutger sabine sanne saskia seraphina sigrid sigurd silke sjoerd "
    "sofie solveig sonja soren stefan stefanie steffen stig sture susanne sven svend "
    "svetlana tanja thea theodor thijs thorben thorsten thure tilman tjark tomke torben "
    "toril torsten trude ulf ulla ulrich ulrike uta utz uwe valdemar veit verena viggo "
    "viktor viktoria volker walburga waldemar waltraud werner wiebke wilhelm willem winfried "
    "wolfgang wolfram wouter yngve zita "
    # Slavic, Baltic, Hungarian, Romanian, Greek, Turkish
    "agnieszka aleksander aleksandr aleksandra aleksei alena alexei anastasia anastasios "
    "anatoly andrei andrej andrzej aneta antonin apostolos arkady artem artur athanasios "
    "ayse ayten bartosz beata biljana blagoj bogdan boguslaw boris borislav bozena branislav "
    "branko cagla cem cemal costin czeslaw dalibor damir danuta dariusz darya dejan "
    "demetrios denys despina dimitar dimitra dimitri dimitrios dmitri dmitry dobrila dorota "
    "doruk dragan dragana dusan dzmitry ecaterina edyta ekaterina eleftheria elif elzbieta "
    "emine emre engin erzsebet eszter evangelos evgeni evgenia evgeny fatma ferenc galina "
    "gavril gediminas georgi georgios gizem goran grazyna grigori grigory grzegorz gyorgy "
    "gyula hakan halina hanna henryk hristo huseyin ibolya igor ildiko ilona ioana ioannis "
    "ionut irena irina istvan ivana ivo jadranka jadwiga jakub janusz jarmila jaroslav "
    "jelena jerzy jiri jolanta jozef judit justyna kamil kamila karolina kasper katalin "
    "katarzyna kazimierz kemal kerem khrystyna kirill klaudia konstantin konstantinos "
    "krystyna krzysztof ksenia ladislav laszlo lech leonid leszek levent libor lidia liliana "
    "ljubica ljubomir lubomir ludmila lukasz lyudmila maciej magda malgorzata marcin marek "
    "marija mariusz marzena matej mateusz mehmet melike michal mihai mihail mikhail mikolaj "
    "milena milica milos miloslav mirela miroslav miroslava mladen mustafa nadezhda natalia "
    "nataliya natalya nebojsa nikola nikolai nikolaos nikolay nikos nuray oksana oleg "
    "oleksandr olena olga olha ondrej onur orhan osman ozlem panagiotis pavel pavlos pawel "
    "pelin petar petr petros piotr plamen predrag przemyslaw radek radka radomir radoslav "
    "ruslan rustem ryszard sandor sanja selim sergei sergey serhiy serkan silviu slavica "
    "slobodan snezana sofija spyridon stanislav stanislaw stavros stefanos stepan stoyan "
    "svetoslav szymon tadeusz taras tatiana tatyana tereza theodoros todor tomasz tomislav "
    "ugur urszula vaclav valentyna vasile vasilios vasily vassilis vesna viktoriya violeta "
    "vitaly vjekoslav vlad vladimir vladislav vlasta volodymyr vuk waclaw wieslaw wiktor "
    "wioletta wladyslaw wojciech yaroslav yelena yulia yuliya yuri yuriy yusuf zbigniew "
    "zdenek zdenka zeynep zlatko zofia zoltan zoran zsofia zuzana zvonimir "
    # Arabic, Hebrew, Persian, African
    "abdallah abdel abdullah abebe abena abimbola abiodun adaeze adaora adebayo adel adenike "
    "adwoa afia ahmad ahmed aisha akinyi akosua alireza amadou amara amina aminata amir "
    "amira amit anwar arash arezou ashraf asma avraham ayesha ayodele aziz babak babatunde "
    "bahar bahram bashir basma behnaz bilal chiamaka chidi chidinma chika chima chinedu "
    "chinonso chinwe chioma chukwuemeka dalia daoud dina djibril efua ehsan ekene eman emeka "
    "eniola esi eyal fadi fahad faisal farah fares farhad farid fariha farouk farzaneh "
    "fatemeh fatou fatoumata fawzia folake folasade funmilayo ghada habib hadiya haider hala "
    "halima hamid hamza hana hasan hassan hatem hussain hussein ibrahim idris ifeoma ikenna "
    "imran iyad jalal jamila jawad kamal kareem karim kelechi khadija khalid khalil kofi "
    "kwabena kwame kwesi lamia latifa layla leyla lindiwe mahdi mahmoud mahsa majid mamadou "
    "mansour mariam marwan maryam masoud maysa mehdi mehran menachem mina mohamed mohammad "
    "mostafa moussa muhammad nabil nadim nasrin nasser nazanin ngozi nia niloufar nisreen "
    "noor nosipho nour obinna olamide oluwaseun omar onyeka osama oumar parisa parvin rania "
    "rasheed rashid rasul razia reem reza rivka roya saeed safiya sagal sahar saleh salim "
    "salma salman samir samira sana sanaa sekou shahid shahrzad shirin shlomo shoshana "
    "sibusiso soheil soraya sulaiman suleiman tahir tamar tarek tariq tendai thabo thandiwe "
    "themba tigist toyin tunde uchenna uzoma wael wafa wanjiru yael yahya yasir yasmin "
    "yasser yosef yousef youssef zahra zainab zaynab zodwa "
    # South Asian
    "aakash aarav abhijit abhishek aditi aditya ajay akash akhil akshay amitabh anand ananya "
    "aniket anil anirudh anjali ankit ankita anupama anuradha aparna arjun arun aruna arvind "
    "ashok ashwin avinash bhaskar bhavana chandra chandrika chetan deepa deepak deepika "
    "devika dhananjay dhruv dilip dinesh divya farhan gauri gautam gayatri girish gopal "
    "govind gurpreet harish harpreet harsh harsha hema hemant indira ishaan ishita jagdish "
    "jaya jayanti jyoti kabir kailash kalpana kamala karthik kavita kavya keshav kiran "
    "kishore kunal lakshmi lalita lata madhavi madhuri mahesh malini manish manisha manjula "
    "manoj meena meera mohan mohit mukesh nandini naresh naveen neeraj neha nikhil nilesh "
    "nirmala nisha nitin padma pallavi pankaj parvati pooja pradeep prakash pranav prasad "
    "prashant prateek pratibha praveen preeti priya priyanka radha radhika raghav rahul "
    "rajani rajeev rajendra rajesh rajiv rakesh ramesh rani ranjit rashmi ravi rekha renuka "
    "ritu rohan rohini rohit roshan rukmini sachin sandeep sangeeta sanjana sanjay sanjeev "
    "santosh sarita satish savita seema shalini shanti sharad shashank shilpa shobha shreya "
    "shruti shweta siddharth sita smita sneha sourav subramaniam sudha sudhir sujata suman "
    "sumati sumit sunil sunita suresh sushila swati tanvi tejas uma usha vandana varun "
    "vasudha venkatesh vidya vijay vikas vikram vinay vineet vinod vishal vivek yash yogesh "
    # East and South-East Asian, in Latin letters
    "agus aiko akiko akira aoi asuka ayaka ayumi bayani budi chihiro chiyo daiki daisuke "
    "danilo dewi divina eiji eka emiko endang etsuko eunji fitri fumiko fumio goro haeun "
    "hartono haruka haruki haruto hayato hideki hideo hikaru hiro hiroki hiroko hiroshi "
    "hiroyuki hitomi honoka huong hyejin hyun hyunwoo indah isamu itsuki jaehyun jihoon "
    "jihye jimin jinwoo jiro jisoo jiwon jiyeon joko jomar joonho junichi junko kaito kaori "
    "kartika katsumi kazuki kazuko kazuo keiko keisuke kenichi kenji kenta kimiko kiyoshi "
    "koichi kotaro kumiko kyoko kyungsoo lestari linh maiko makoto mamoru manami maricel "
    "mariko masahiro masako masami masao masato mayumi megumi michiko midori miho minato "
    "minho minji minjun minseo misaki mitsuko miyuki momoka nanami naoki naoko natsuki ngoc "
    "nguyet noboru nobuko nobuo noriko norio nurul osamu phuong putri quang reiko rina rizal "
    "rizky rumi ryo ryoko ryota ryuji sachiko sadao saki satoko satoshi seiji seojun seoyeon "
    "setsuko seungmin shigeru shinichi shinji shiori shizuka shoko shota siti slamet somchai "
    "somsak soojin sooyoung suharto sukarno sungho sunghoon supaporn suparman susanto susumu "
    "tadashi taehyung taichi takahiro takako takashi takeo takeshi takumi tamiko tatsuya "
    "tetsuya thanh thao thuy tomoko tomomi toshio tsubasa tsutomu tuan tuyet wahyu "
    "wati widodo wonjae yasuko yasuo yejin yeonjun yoichi yoko yoshiko yoshio younghee "
    "youngsoo yuichi yuji yuka yuki yukiko yuko yulianti yumi yumiko yuna yusof yusuke yuta "
    "yutaka yuto "
)
FIRST_NAMES = frozenset(_NAMES.split())
"""In lower case, without accents."""
COMMON_NAMES = frozenset(
    "alex alexa alice amber andy ash ben beth bill bob bobby brad carter"
    " charlie chase chloe chris crystal daisy dan dave dawn dean drew ella eve"
    " faith finn frank fred ginger glen grace grant greg harry hazel heather henry"
    " holly hope hunter iris ivy jack jake jasmine jeff jenny jim jimmy joe joy juan jude"
    " julia kate ken kim larry lee leo lily liz lucy luke mark mason matt max meg mia mike"
    " miles molly nick nora olive oliver paige pat paul penny pete peter phil ray rich rick rob"
    " robin rose ruby ruth ryan sally sam sandy scott sky sophia spencer stella steve stuart sue"
    " taylor ted terry tim tina tom tony victor violet ward wayne"
    " will willow".split()
)
"""First names that are also words, products or short forms, but neither months nor places."""
SHORT_FOR = {
    "mike": "michael", "mick": "michael", "tom": "thomas", "tony": "anthony antonio",
    "ted": "edward theodore", "ned": "edward", "bob": "robert", "rob": "robert", "bill": "william",
    "will": "william", "liz": "elizabeth", "betty": "elizabeth", "jim": "james", "jack": "john",
    "kate": "catherine katherine kathleen", "kathy": "catherine katherine kathleen",
    "peggy": "margaret", "maggie": "margaret", "dick": "richard", "rick": "richard",
    "harry": "henry harold", "hank": "henry", "chuck": "charles", "larry": "lawrence",
    "sasha": "alexander alexandra aleksandr aleksandra", "misha": "mikhail", "beppe": "giuseppe",
    "pepe": "jose", "paco": "francisco", "sally": "sarah", "steve": "stephen", "andy": "andrew",
    "drew": "andrew", "tina": "christina", "ben": "benjamin", "jen": "jennifer",
}  # fmt: skip
"""The full names of each short form."""


_BEFORE = frozenset(
    "san santa santo st. saint mount mt. lake port fort cape king queen pope sir hurricane "
    "the at in near via hôpital hospital rue calle avenida plaza place avenue boulevard aéroport "
    "airport aeropuerto flughafen université university universidad lycée école institut instituto "
    "stade gare clinique klinik krankenhaus teatro stadion".split()
)
"""Words before such a name; an article never precedes a person."""
_BEHIND = re.compile(
    r"(?:['\u2019]s?)?(?:[ ][^\W\d_][\w.]{0,20})?[ ](?:Jr\.?|Day|Springs?|Beach|City|County|Street"
    r"|St|Avenue|Ave|Road|Rd|Blvd|Boulevard|Square|Park|Airport|Station|Hospital|University|College"
    r"|School|Institute|Cent(?:er|re)|Museum|Bridge|Islands?|Lake|River|Valley|[Ll]ine|Department"
    r"|Foundation|Prize|Award|Law|Theorem|[Cc]orrelation|[Tt]est|[Mm]ethod|Group|Company|Inc|Ltd"
    r"|Holdings|Bank|Hotel|Stadium|Theat(?:er|re)|Library|Telescope|Panthers|Clinic)\b"
)
_WHOLE = frozenset(
    "raymond james,edward jones,thomas cook,philip morris,ralph lauren,michael kors,calvin klein,"
    "tommy hilfiger,charles schwab,john deere,john lewis,louis vuitton,christian dior,paul smith,"
    "giorgio armani,marc jacobs,jack daniel,harry potter,peter pan,santa claus,john doe,"
    "jane doe".split(",")
)
"""Well-known companies and fictional characters, and placeholder names."""


def is_namesake(text: str, start: int, end: int, before: str) -> bool:
    """
    Return whether a person's name in a text names a place, a company or a thing.

    Args:
        text: The text.
        start: Offset of its first character.
        end: Offset after its last character.
        before: The word before it; empty if there is none.

    >>> text = "Mary Adler opened the Mary Adler School near Alice Springs."
    >>> is_namesake(text, 0, 10, ""), is_namesake(text, 22, 32, "the")
    (False, True)
    """
    whole = text[start:end].casefold()
    return before.casefold() in _BEFORE or whole in _WHOLE or _BEHIND.match(text, end) is not None
