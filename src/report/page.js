// What moves on the page: theme, series, tooltips by pointer and by key. Without scripts the page loses only these.
(function(){'use strict';
var root=document.documentElement,tip=document.getElementById('tip');
document.getElementById('theme').addEventListener('click',function(){
 var dark=root.dataset.theme?root.dataset.theme==='dark':matchMedia('(prefers-color-scheme:dark)').matches;
 root.dataset.theme=dark?'light':'dark';});
// Words joined by " · " stand on lines of their own; they are set as text, never as markup.
function show(mark){
 tip.textContent='';
 mark.getAttribute('aria-label').split(' \u00b7 ').forEach(function(part){
  var line=document.createElement('div');line.textContent=part;tip.appendChild(line);});
 tip.hidden=false;
 var box=(mark.querySelector('.hit')||mark).getBoundingClientRect(),size=tip.getBoundingClientRect();
 var left=box.left+box.width/2-size.width/2,top=box.top-size.height-8;
 if(top<6)top=box.bottom+8;
 tip.style.left=Math.max(6,Math.min(left,root.clientWidth-size.width-6))+'px';
 tip.style.top=top+'px';}
function hide(){tip.hidden=true;}
function markOf(event){return event.target.closest?event.target.closest('.pt'):null;}
document.addEventListener('mouseover',function(event){
 var mark=markOf(event);if(mark)show(mark);else if(!markOf({target:document.activeElement}))hide();});
document.addEventListener('focusin',function(event){var mark=markOf(event);if(mark)show(mark);else hide();});
document.addEventListener('focusout',hide);
document.addEventListener('click',function(event){var mark=markOf(event);if(mark)mark.focus();});
window.addEventListener('scroll',function(){
 var mark=markOf({target:document.activeElement});if(mark&&!tip.hidden)show(mark);else hide();},{passive:true});
// Left and right go along a series, up and down to the next series that is shown.
function move(mark,step,across){
 var series=mark.closest('.series'),marks=[].slice.call(series.querySelectorAll('.pt'));
 if(!across)return marks[marks.indexOf(mark)+step];
 var all=[].slice.call(series.parentNode.querySelectorAll('.series:not(.off)')).filter(function(other){
  return other.querySelector('.pt');});
 var next=all[all.indexOf(series)+step];
 if(!next)return null;
 var points=next.querySelectorAll('.pt');
 return points[Math.min(marks.indexOf(mark),points.length-1)];}
document.addEventListener('keydown',function(event){
 var mark=markOf(event),steps={ArrowLeft:[-1,0],ArrowRight:[1,0],ArrowUp:[-1,1],ArrowDown:[1,1]}[event.key];
 if(event.key==='Escape')hide();
 if(!mark||!steps)return;
 event.preventDefault();
 var next=move(mark,steps[0],steps[1]);if(next)next.focus();});
[].forEach.call(document.querySelectorAll('.legend button'),function(button){
 button.addEventListener('click',function(){
  var on=button.getAttribute('aria-pressed')!=='true';
  button.setAttribute('aria-pressed',String(on));
  var which='.series[data-series="'+button.dataset.series+'"]';
  [].forEach.call(button.closest('.figure').querySelectorAll(which),function(group){
   group.classList.toggle('off',!on);});});});
})();
